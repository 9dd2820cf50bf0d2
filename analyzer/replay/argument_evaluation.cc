#include "replay/program.h"

namespace shapewise::replay {
namespace {

std::vector<Value> EvaluateChildren(const ProgramArgument& argument, const Frame& frame) {
  std::vector<Value> items;
  items.reserve(argument.children.size());
  for (const ProgramArgument& child : argument.children) {
    items.push_back(EvaluateArgument(child, frame));
  }
  return items;
}

}  // namespace

Value EvaluateArgument(const ProgramArgument& argument, const Frame& frame) {
  switch (argument.kind) {
    case ProgramArgument::Kind::kSlot: {
      const Value& value = frame.slots[argument.slot];
      if (!value.IsMissing()) return value;
      throw NotReached("needs " + frame.program->slot_names[argument.slot] +
                       ", which was not computed");
    }
    case ProgramArgument::Kind::kConstant:
      return argument.constant;
    case ProgramArgument::Kind::kList:
      return Value::List(EvaluateChildren(argument, frame));
    case ProgramArgument::Kind::kTuple:
      return Value::Tuple(EvaluateChildren(argument, frame));
    case ProgramArgument::Kind::kDict:
      return Value::Dict(EvaluateChildren(argument, frame));
    case ProgramArgument::Kind::kSlice:
      return Value::Slice(EvaluateChildren(argument, frame));
    case ProgramArgument::Kind::kExpression: {
      const std::optional<int64_t> number = Evaluate(argument.expression, frame.bindings);
      if (number) return Value::Int(*number);
      throw std::runtime_error("the size " + ToText(argument.expression) + " has no value");
    }
    case ProgramArgument::Kind::kText:
      break;
  }
  throw std::runtime_error("the argument '" + argument.text.substr(0, 80) + "' is not understood");
}

}  // namespace shapewise::replay
