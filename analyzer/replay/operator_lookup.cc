#include "replay/operator_lookup.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace shapewise::replay {
namespace {

/// Python's names of arguments, and the schema's.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"input", "self"}, {"axis", "dim"},     {"keepdims", "keepdim"}, {"x", "self"},
    {"x1", "self"},    {"x2", "other"},     {"a", "self"},           {"tensors", "tensors"},
    {"dims", "dim"},   {"divisor", "other"}};

bool ReturnsItsResults(const c10::FunctionSchema& schema) {
  return std::ranges::none_of(schema.arguments(),
                              [](const c10::Argument& argument) { return argument.is_out(); });
}

bool TakesIntegers(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  const auto list = type->cast<c10::ListType>();
  if (!list) return false;
  const c10::TypeKind kind = list->getElementType()->kind();
  return kind == c10::TypeKind::IntType || kind == c10::TypeKind::SymIntType;
}

size_t CountPositional(const c10::FunctionSchema& schema) {
  return std::ranges::count_if(
      schema.arguments(), [](const c10::Argument& argument) { return !argument.kwarg_only(); });
}

const ProgramArgument* FindKeyword(const ArgumentList& arguments, const std::string& name) {
  for (const auto& [keyword, argument] : arguments.keywords) {
    if (keyword == name) return &argument;
  }
  for (const auto& [synonym, meant] : kSynonyms) {
    if (meant != name) continue;
    for (const auto& [keyword, argument] : arguments.keywords) {
      if (keyword == synonym) return &argument;
    }
  }
  return nullptr;
}

/// The number of arguments without meaningless keywords: out=None, and None or False for parameters
/// that a schema need not have.
size_t CountMeaningful(const ArgumentList& arguments) {
  return std::ranges::count_if(arguments.keywords, [](const auto& entry) {
    return !(entry.first == "out" && entry.second.constant.IsNone());
  });
}

bool HasTensor(const ProgramArgument& argument, const Frame& frame) {
  if (argument.kind == ProgramArgument::Kind::kSlot) return frame.slots[argument.slot].IsTensor();
  return std::ranges::any_of(argument.children,
                             [&](const ProgramArgument& child) { return HasTensor(child, frame); });
}

/// Whether the device of the result follows from an argument.
bool TakesTensor(const ArgumentList& arguments, const Frame& frame) {
  const auto has_tensor = [&](const ProgramArgument& a) { return HasTensor(a, frame); };
  return std::ranges::any_of(arguments.positional, has_tensor) ||
         std::ranges::any_of(arguments.keywords,
                             [&](const auto& keyword) { return has_tensor(keyword.second); });
}

bool IsDevice(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type->kind() == c10::TypeKind::DeviceObjType;
}

ProgramArgument SequenceOf(const std::vector<ProgramArgument>& arguments, size_t first) {
  ProgramArgument sequence;
  sequence.kind = ProgramArgument::Kind::kList;
  sequence.children.assign(arguments.begin() + static_cast<ptrdiff_t>(first), arguments.end());
  return sequence;
}

std::string KindsOf(const ArgumentList& arguments, const Frame& frame) {
  std::string kinds;
  for (const ProgramArgument& argument : arguments.positional) {
    kinds += (kinds.empty() ? "" : ", ") + EvaluateArgument(argument, frame).KindName();
  }
  for (const auto& [keyword, argument] : arguments.keywords) {
    kinds +=
        (kinds.empty() ? "" : ", ") + keyword + "=" + EvaluateArgument(argument, frame).KindName();
  }
  return kinds;
}

/// The operators with one name.
struct NamedOperators {
  std::vector<Overload> overloads;  ///< may run, and return their results
  bool has_refused = false;         ///< others are registered that may not run
};

const NamedOperators& FindOperators(const std::string& name) {
  static std::unordered_map<std::string, NamedOperators> known;
  const auto [entry, is_new] = known.try_emplace(name);
  if (!is_new) return entry->second;
  for (const auto& op : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name))) {
    if (!IsAllowedOperator(op->schema())) {
      entry->second.has_refused = true;
    } else if (ReturnsItsResults(op->schema())) {
      entry->second.overloads.emplace_back(op);
    }
  }
  return entry->second;
}

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

// Statements that TorchScript's compiler generates for Python code, and attributes of tensors and
// devices. Deliberately missing: PythonOp, IgnoredPythonOp and rpc_*, which run or send code;
// statements that only optimization passes insert. Source: ATen/core/interned_strings.h,
// register_prim_ops.cpp.
constexpr std::string_view kPrimitives =
    " AutogradAdd AutogradZero CallFunction CallMethod Closure Constant ConstantChunk "
    "CreateObject DictConstruct Drop Enter EnumName EnumValue Exit GetAttr HasAttr If "
    "IfThenElse ListConstruct ListUnpack Loop ModuleContainerIndex NumToTensor Param Print "
    "RaiseException Return SetAttr StringIndex TupleConstruct TupleIndex TupleSlice TupleUnpack "
    "Uninitialized VarConcat VarStack abs annotate data device dtype fork grad id index is_cpu "
    "is_cuda is_ipu is_maia is_meta is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse "
    "is_sparse_csr is_vulkan is_xla is_xpu isinstance itemsize layout max min name nbytes "
    "rangelist requires_grad tolist type unchecked_cast unchecked_unwrap_optional ";

// Operators without a result that check their arguments, or configure computation in this process.
constexpr std::string_view kWithoutResult =
    " _assert_async _assert_scalar _assert_tensor_metadata _backward _linalg_check_errors "
    "_validate_compressed_sparse_indices _validate_sparse_bsc_tensor_args "
    "_validate_sparse_bsr_tensor_args _validate_sparse_compressed_tensor_args "
    "_validate_sparse_coo_tensor_args _validate_sparse_csc_tensor_args "
    "_validate_sparse_csr_tensor_args backward manual_seed set_grad_enabled sym_constrain_range "
    "sym_constrain_range_for_size warn ";

/// Whether `word` is one of `words`, which have a blank before and after each.
bool IsListed(std::string_view words, std::string_view word) {
  return word.find(' ') == std::string_view::npos &&
         words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

bool ChangesAnArgument(const c10::FunctionSchema& schema) {
  return std::ranges::any_of(schema.arguments(), [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  });
}

/// from_file(str filename, ...) maps a file, also for writing.
bool NamesAFile(const c10::FunctionSchema& schema) {
  return std::ranges::any_of(schema.arguments(), [](const c10::Argument& argument) {
    return argument.type()->kind() == c10::TypeKind::StringType &&
           argument.name().find("file") != std::string::npos;
  });
}

}  // namespace

Overload::Overload(std::shared_ptr<torch::jit::Operator> op)
    : op_(std::move(op)), schema_(&op_->schema()) {
  handle_ = c10::Dispatcher::singleton().findSchema(schema_->operator_name());
}

void Overload::Call(Stack& stack) const {
  if (handle_) {
    handle_->callBoxed(stack);
  } else {
    op_->getOperation()(stack);
  }
}

std::vector<const Overload*> FindOverloads(const std::string& name) {
  std::vector<const Overload*> overloads;
  for (const Overload& overload : FindOperators(name).overloads) overloads.push_back(&overload);
  return overloads;
}

bool HasRefusedOverloads(const std::string& name) { return FindOperators(name).has_refused; }

std::string OperatorOfTarget(std::string_view target) {
  const size_t first_dot = target.find('.');
  const size_t last_dot = target.rfind('.');
  if (first_dot == std::string_view::npos || first_dot == last_dot) return {};
  return std::string(target.substr(0, first_dot)) +
         "::" + std::string(target.substr(first_dot + 1, last_dot - first_dot - 1));
}

std::vector<const Overload*> FindOverloadOfTarget(std::string_view target) {
  const std::string name = OperatorOfTarget(target);
  if (name.empty()) return {};
  std::string_view overload_name = target.substr(target.rfind('.') + 1);
  if (overload_name == "default") overload_name = "";
  std::vector<const Overload*> found = FindOverloads(name);
  std::erase_if(found, [&](const Overload* overload) {
    return overload->schema().overload_name() != overload_name;
  });
  return found;
}

PreparedCall::PreparedCall(const std::vector<const Overload*>& overloads, const std::string& target,
                           const ArgumentList& arguments, const Frame& frame) {
  const Overload* best = nullptr;
  int least = 0;
  for (const Overload* overload : overloads) {
    const std::optional<int> cost = Bind(*overload, arguments, frame);
    if (!cost || (best != nullptr && *cost >= least)) continue;
    best = overload;
    least = *cost;
  }
  if (best == nullptr) {
    throw std::runtime_error("no overload of " + target + " takes (" + KindsOf(arguments, frame) +
                             ")");
  }
  Bind(*best, arguments, frame);
  overload_ = best;
}

std::optional<int> PreparedCall::Bind(const Overload& overload, const ArgumentList& arguments,
                                      const Frame& frame) {
  const std::vector<c10::Argument>& wanted = overload.schema().arguments();
  const size_t num_positional = CountPositional(overload.schema());
  constants_.assign(wanted.size(), c10::IValue());
  varying_.clear();
  size_t next = 0;  // index into arguments.positional
  size_t num_keywords = 0;
  int total = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    Varying varying{i, {}, {wanted[i].real_type(), wanted[i].N()}, false};
    const ProgramArgument* keyword = nullptr;
    if (!wanted[i].kwarg_only() && next < arguments.positional.size()) {
      // x.view(2, 3) is x.view([2, 3]): excess arguments are elements of a list.
      if (arguments.positional.size() > num_positional && TakesIntegers(wanted[i])) {
        varying.argument = SequenceOf(arguments.positional, next);
        next = arguments.positional.size();
      } else {
        varying.argument = arguments.positional[next++];
      }
    } else if (keyword = FindKeyword(arguments, wanted[i].name()); keyword != nullptr) {
      varying.argument = *keyword;
      ++num_keywords;
    } else if (wanted[i].default_value()) {
      constants_[i] = *wanted[i].default_value();
      const bool has_default = frame.program != nullptr && frame.program->default_device;
      if (has_default && IsDevice(wanted[i]) && !TakesTensor(arguments, frame)) {
        constants_[i] = *frame.program->default_device;
      }
      continue;
    } else {
      return {};
    }
    const std::optional<int> cost =
        ConvertArgument(EvaluateArgument(varying.argument, frame), varying.wanted, constants_[i]);
    if (!cost) return {};
    total += *cost;
    if (varying.argument.IsConstant()) continue;
    constants_[i] = c10::IValue();
    varying.is_tensor_slot = varying.argument.kind == ProgramArgument::Kind::kSlot &&
                             frame.slots[varying.argument.slot].IsTensor() &&
                             wanted[i].real_type()->isSubtypeOf(*c10::OptionalType::ofTensor());
    varying_.push_back(std::move(varying));
  }
  if (next < arguments.positional.size() || num_keywords < CountMeaningful(arguments)) return {};
  return total;
}

Value PreparedCall::Run(const Frame& frame) {
  stack_.assign(constants_.begin(), constants_.end());
  for (const Varying& varying : varying_) {
    if (varying.is_tensor_slot && frame.slots[varying.argument.slot].IsTensor()) {
      stack_[varying.index] = frame.slots[varying.argument.slot].plain();
      continue;
    }
    const Value value = EvaluateArgument(varying.argument, frame);
    if (!ConvertArgument(value, varying.wanted, stack_[varying.index])) {
      throw std::runtime_error("argument " + schema().arguments()[varying.index].name() + " of " +
                               schema().name() + " cannot be " + value.KindName());
    }
  }
  overload_->Call(stack_);
  Value result = Value::None();
  if (stack_.size() == 1) {
    result = Value(std::move(stack_[0]));
  } else if (!stack_.empty()) {
    std::vector<Value> items;
    for (c10::IValue& item : stack_) items.emplace_back(std::move(item));
    result = Value::Tuple(std::move(items));
  }
  // Values left on the stack would live until the next run.
  stack_.clear();
  return result;
}

Value CallOperator(const std::string& name, const std::vector<Value>& positional,
                   const std::vector<std::pair<std::string, Value>>& keywords) {
  ArgumentList arguments;
  for (const Value& value : positional)
    arguments.positional.push_back(ProgramArgument::Constant(value));
  for (const auto& [keyword, value] : keywords) {
    arguments.keywords.emplace_back(keyword, ProgramArgument::Constant(value));
  }
  const Frame frame;
  return PreparedCall(FindOverloads(name), name, arguments, frame).Run(frame);
}

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

bool IsAllowedOperator(const c10::FunctionSchema& schema) {
  const std::string& name = schema.name();
  const size_t colons = name.find("::");
  if (colons == std::string::npos) return false;
  const std::string_view space = std::string_view(name).substr(0, colons);
  const std::string_view base = std::string_view(name).substr(colons + 2);
  if (space == "prim") return IsAllowedPrimitive(base);
  if (space != "aten" && space != "prims") return false;
  if (NamesAFile(schema)) return false;
  return !schema.returns().empty() || ChangesAnArgument(schema) || IsListed(kWithoutResult, base);
}

bool IsAllowedPrimitive(std::string_view name) { return IsListed(kPrimitives, name); }

}  // namespace shapewise::replay
