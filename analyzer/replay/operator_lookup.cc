#include "replay/operator_lookup.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <stdexcept>
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

ProgramArgument ConstantOf(const Value& value) {
  ProgramArgument argument;
  argument.constant = value;
  return argument;
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

const std::vector<Overload>& FindOverloads(const std::string& name) {
  return FindOperators(name).overloads;
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
  std::vector<const Overload*> found;
  for (const Overload& overload : FindOverloads(name)) {
    if (overload.schema().overload_name() == overload_name) found.push_back(&overload);
  }
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
  for (const Value& value : positional) arguments.positional.push_back(ConstantOf(value));
  for (const auto& [keyword, value] : keywords) {
    arguments.keywords.emplace_back(keyword, ConstantOf(value));
  }
  std::vector<const Overload*> overloads;
  for (const Overload& overload : FindOverloads(name)) overloads.push_back(&overload);
  const Frame frame;
  return PreparedCall(overloads, name, arguments, frame).Run(frame);
}

}  // namespace shapewise::replay
