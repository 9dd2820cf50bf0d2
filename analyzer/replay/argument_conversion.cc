#include "replay/operator_lookup.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/ops/scalar_tensor.h>

namespace shapewise::replay {
namespace {

// Cost of a conversion. If several overloads accept the arguments, the cheapest one is the most
// specific.
constexpr int kSame = 0;
constexpr int kWidened = 1;        // int -> float, text -> device
constexpr int kElementToList = 2;  // 3 -> [3, 3]
constexpr int kNumberToTensor = 4;
constexpr int kTensorToNumber = 6;

using Kind = Value::Kind;
using Cost = std::optional<int>;

Cost ConvertToTensor(const Value& value, c10::IValue& converted) {
  if (value.IsTensor()) {
    converted = value.plain();
    return kSame;
  }
  if (!value.IsNumber() && !(value.kind() == Kind::kPlain && value.plain().isComplexDouble())) {
    return {};
  }
  // In type promotion, a Python number is weaker than a tensor without dims.
  at::Tensor tensor = at::scalar_to_tensor(value.AsScalar());
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  converted = std::move(tensor);
  return kNumberToTensor;
}

bool IsIntegralNumber(const at::Tensor& tensor) {
  return tensor.numel() == 1 && at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false);
}

Cost ConvertToInt(const Value& value, c10::IValue& converted) {
  if (value.IsInt() || value.IsBool()) {
    converted = value.AsInt();
    return value.IsInt() ? kSame : kWidened;
  }
  if (value.IsTensor() && IsIntegralNumber(value.AsTensor())) {
    converted = value.AsTensor().item().toLong();
    return kTensorToNumber;
  }
  return {};
}

Cost ConvertToFloat(const Value& value, c10::IValue& converted) {
  if (!value.IsNumber()) {
    if (!value.IsTensor() || value.AsTensor().numel() != 1) return {};
    converted = value.AsTensor().item().toDouble();
    return kTensorToNumber;
  }
  converted = value.AsFloat();
  return value.IsFloat() ? kSame : kWidened;
}

Cost ConvertToNumber(const Value& value, c10::IValue& converted) {
  if (value.IsNumber() || (value.kind() == Kind::kPlain && value.plain().isComplexDouble())) {
    converted = value.plain();
    return kSame;
  }
  if (value.IsTensor() && value.AsTensor().numel() == 1) {
    converted = c10::IValue(value.AsTensor().item());
    return kTensorToNumber;
  }
  return {};
}

/// For values that are tagged integers.
Cost ConvertTagged(const Value& value, Kind kind, c10::IValue& converted) {
  if (value.kind() != kind) return {};
  converted = value.plain();
  return kSame;
}

Cost ConvertToDevice(const Value& value, c10::IValue& converted) {
  if (value.kind() == Kind::kPlain && value.plain().isDevice()) {
    converted = value.plain();
    return kSame;
  }
  if (!value.IsText() && value.kind() != Kind::kName) return {};
  converted = c10::Device(value.AsText());
  return kWidened;
}

/// The stored type of list elements: sizes are plain integers here.
c10::TypePtr StoredType(const c10::TypePtr& element) {
  switch (element->kind()) {
    case c10::TypeKind::SymIntType:
      return c10::IntType::get();
    case c10::TypeKind::SymFloatType:
      return c10::FloatType::get();
    case c10::TypeKind::SymBoolType:
      return c10::BoolType::get();
    default:
      return element;
  }
}

Cost ConvertToList(const Value& value, const c10::TypePtr& element, std::optional<int32_t> length,
                   c10::IValue& converted) {
  c10::impl::GenericList list(StoredType(element));
  c10::IValue item;
  if (!value.IsSequence()) {
    const bool is_number_list = element->kind() == c10::TypeKind::IntType ||
                                element->kind() == c10::TypeKind::SymIntType ||
                                element->kind() == c10::TypeKind::FloatType;
    if (!is_number_list || !value.IsNumber()) return {};
    const Cost cost = ConvertArgument(value, {element, {}}, item);
    if (!cost) return {};
    for (int32_t i = 0; i < length.value_or(1); ++i) list.push_back(item);
    converted = std::move(list);
    return *cost + kElementToList;
  }
  int total = kSame;
  list.reserve(value.items().size());
  for (const Value& child : value.items()) {
    const Cost cost = ConvertArgument(child, {element, {}}, item);
    if (!cost) return {};
    total += *cost;
    list.push_back(item);
  }
  converted = std::move(list);
  return total;
}

Cost ConvertToTuple(const Value& value, const c10::TupleType& tuple, c10::IValue& converted) {
  if (!value.IsSequence() || value.items().size() != tuple.elements().size()) return {};
  std::vector<c10::IValue> elements(value.items().size());
  int total = kSame;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Cost cost = ConvertArgument(value.items()[i], {tuple.elements()[i], {}}, elements[i]);
    if (!cost) return {};
    total += *cost;
  }
  converted = c10::ivalue::Tuple::create(std::move(elements));
  return total;
}

}  // namespace

std::optional<int> ConvertArgument(const Value& value, const WantedType& wanted,
                                   c10::IValue& converted) {
  switch (wanted.type->kind()) {
    case c10::TypeKind::TensorType:
      return ConvertToTensor(value, converted);
    case c10::TypeKind::OptionalType: {
      if (value.IsNone()) {
        converted = c10::IValue();
        return kSame;
      }
      const auto& element = wanted.type->expectRef<c10::OptionalType>().getElementType();
      return ConvertArgument(value, {element, wanted.length}, converted);
    }
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return ConvertToInt(value, converted);
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
      return ConvertToFloat(value, converted);
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType:
      if (!value.IsBool()) return {};
      converted = value.plain();
      return kSame;
    case c10::TypeKind::NumberType:
      return ConvertToNumber(value, converted);
    case c10::TypeKind::ScalarTypeType:
      return ConvertTagged(value, Kind::kDtype, converted);
    case c10::TypeKind::LayoutType:
      return ConvertTagged(value, Kind::kLayout, converted);
    case c10::TypeKind::MemoryFormatType:
      return ConvertTagged(value, Kind::kMemoryFormat, converted);
    case c10::TypeKind::DeviceObjType:
      return ConvertToDevice(value, converted);
    case c10::TypeKind::StringType:
      if (!value.IsText() && value.kind() != Kind::kName) return {};
      converted = value.plain();
      return value.IsText() ? kSame : kWidened;
    case c10::TypeKind::ListType:
      return ConvertToList(value, wanted.type->expectRef<c10::ListType>().getElementType(),
                           wanted.length, converted);
    case c10::TypeKind::TupleType:
      return ConvertToTuple(value, wanted.type->expectRef<c10::TupleType>(), converted);
    default:
      // A graph contains no constants of these types: generators, streams and objects.
      return {};
  }
}

}  // namespace shapewise::replay
