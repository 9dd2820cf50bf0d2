#include "replay/value.h"

#include <c10/util/Exception.h>

namespace shapewise::replay {

Value::Value(c10::IValue plain) : kind_(Kind::kPlain) {
  if (!plain.isList() && !plain.isTuple()) {
    plain_ = std::move(plain);
    return;
  }
  std::vector<Value> items;
  if (plain.isTuple()) {
    for (const c10::IValue& element : plain.toTupleRef().elements()) items.emplace_back(element);
    *this = Tuple(std::move(items));
  } else {
    for (const c10::IValue& element : plain.toListRef()) items.emplace_back(element);
    *this = List(std::move(items));
  }
}

const at::Tensor& Value::AsTensor() const {
  TORCH_CHECK(IsTensor(), "a tensor was expected, not ", KindName());
  return plain_.toTensor();
}

int64_t Value::AsInt() const {
  if (IsBool()) return plain_.toBool() ? 1 : 0;
  TORCH_CHECK(IsInt(), "an integer was expected, not ", KindName());
  return plain_.toInt();
}

double Value::AsFloat() const {
  if (IsFloat()) return plain_.toDouble();
  return static_cast<double>(AsInt());
}

bool Value::AsBool() const {
  if (IsNone()) return false;
  if (IsTensor()) return plain_.toTensor().item().toBool();
  return IsFloat() ? plain_.toDouble() != 0 : AsInt() != 0;
}

at::Scalar Value::AsScalar() const {
  if (IsBool()) return plain_.toBool();
  if (IsFloat()) return plain_.toDouble();
  if (kind_ == Kind::kPlain && plain_.isComplexDouble()) return plain_.toComplexDouble();
  if (IsTensor() && plain_.toTensor().dim() == 0) return plain_.toTensor().item();
  return AsInt();
}

const std::string& Value::AsText() const {
  TORCH_CHECK(IsText() || kind_ == Kind::kName, "a text was expected, not ", KindName());
  return plain_.toStringRef();
}

const std::vector<Value>& Value::AsSequence() const {
  TORCH_CHECK(IsSequence(), "a list was expected, not ", KindName());
  return *items_;
}

std::vector<int64_t> Value::AsInts() const {
  std::vector<int64_t> numbers;
  for (const Value& item : AsSequence()) numbers.push_back(item.AsInt());
  return numbers;
}

std::vector<at::Tensor> Value::AsTensors() const {
  std::vector<at::Tensor> tensors;
  for (const Value& item : AsSequence()) tensors.push_back(item.AsTensor());
  return tensors;
}

c10::ScalarType Value::AsDtype() const {
  TORCH_CHECK(kind_ == Kind::kDtype, "a dtype was expected, not ", KindName());
  return static_cast<c10::ScalarType>(plain_.toInt());
}

c10::IValue Value::AsIValue() const {
  if (kind_ == Kind::kPlain) return plain_;
  TORCH_CHECK(IsSequence(), "cannot be written to a file: ", KindName());
  std::vector<c10::IValue> elements;
  for (const Value& item : *items_) elements.push_back(item.AsIValue());
  return c10::ivalue::Tuple::create(std::move(elements));
}

std::string Value::KindName() const {
  if (kind_ == Kind::kPlain) return plain_.tagKind();
  if (kind_ == Kind::kName) return "'" + plain_.toStringRef() + "'";
  constexpr const char* kNames[] = {"a value that was not computed",
                                    "",
                                    "dtype",
                                    "layout",
                                    "memory format",
                                    "Ellipsis",
                                    "slice",
                                    "list",
                                    "tuple",
                                    "dict"};
  return kNames[static_cast<size_t>(kind_)];
}

}  // namespace shapewise::replay
