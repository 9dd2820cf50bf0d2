#include <array>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

bool IsOfDtype(NodeContext& context, std::string_view dtype) {
  for (const Argument* argument :
       {context.Find(1), context.FindKeyword("dtype"), context.Find(2)}) {
    if (argument != nullptr && argument->kind != Argument::Kind::kValue &&
        context.Text(argument) == dtype) {
      return true;
    }
  }
  return false;
}

// If the dump shows that results are integers, `&` and `|` are bitwise.
bool HasIntegerResult(NodeContext& context) {
  const Propagation& propagation = context.propagation();
  const GraphModel& graph = propagation.graph();
  const GraphNode& node = graph.nodes[context.node()];
  if (node.num_values == 0 || graph.values[node.first_value].type == kNoIndex) return false;
  const GraphSet& graphs = context.propagation().graphs();
  const StrId dtype = graphs.types[graph.values[node.first_value].type].dtype;
  return graphs.strings.text(dtype).find("int") != std::string_view::npos;
}

// Python's operators work on sizes as well as on tensors.
bool IsOfNumbers(NodeContext& context) {
  bool has_number = false;
  for (size_t i = 0; i < context.num_positional(); ++i) {
    const Argument* argument = context.Find(i);
    const uint32_t value = context.ValueOf(argument);
    if (value == kNoIndex) continue;
    if (context.propagation().SlotOf(value).kind != Propagation::Slot::Kind::kNumber) return false;
    has_number = true;
  }
  return has_number && context.name().is_python;
}

}  // namespace

void PointwiseRule(NodeContext& context) {
  if (IsOfNumbers(context)) return SizeRule(context);
  auto function = static_cast<Pointwise>(context.rule().code);
  llvm::SmallVector<TensorState, 4> operands;
  const size_t arity = Arity(function);
  if (function == Pointwise::kClamp) {
    const Argument* least = context.Find(1, {"min", "min_val"});
    const Argument* most = context.Find(2, {"max", "max_val"});
    operands.push_back(context.Operand(0, {"input", "self"}));
    if (least != nullptr) operands.push_back(context.State(least));
    if (most != nullptr) operands.push_back(context.State(most));
    if (least == nullptr) function = most == nullptr ? Pointwise::kIdentity : Pointwise::kMinimum;
  } else if (arity == 2) {
    const Argument* left = context.Find(0, {"input", "self"});
    const Argument* right = context.Find(1, {"other", "exponent", "value"});
    operands.push_back(context.State(left));
    TensorState second = context.State(right);
    if (const std::optional<double> alpha = context.Number(context.FindKeyword("alpha"))) {
      const auto scale = [&](const Fill& fill) {
        return Evaluate(Pointwise::kMultiply, std::array{fill, Fill::Number(*alpha)});
      };
      second.real = scale(second.real);
      second.ChangeFills(scale);
    }
    // arange(n) + 0: still the positions.
    const bool is_sum = function == Pointwise::kAdd || function == Pointwise::kSubtract;
    if (is_sum && context.IsTensor(left) && second.has_rank && second.rank == 0 &&
        second.real.IsNumber(0)) {
      function = Pointwise::kIdentity;
    } else {
      operands.push_back(std::move(second));
    }
    const bool is_square = function == Pointwise::kMultiply && context.ValueOf(left) != kNoIndex &&
                           context.ValueOf(left) == context.ValueOf(right);
    if (is_square) {
      function = Pointwise::kSquare;
      operands.pop_back();
    }
    const bool is_logic = function == Pointwise::kAnd || function == Pointwise::kOr;
    if (is_logic && HasIntegerResult(context)) function = Pointwise::kTest;
  } else if (arity == SIZE_MAX) {
    for (size_t i = 0; i < context.num_positional(); ++i) {
      const Argument* argument = context.Find(i);
      if (argument == nullptr || (!context.IsTensor(argument) && !context.Number(argument))) {
        continue;
      }
      operands.push_back(context.State(argument));
    }
  } else if (arity == 3) {
    operands.push_back(context.Operand(0, {"input", "self", "condition"}));
    operands.push_back(context.Operand(1, {"mask", "input"}));
    operands.push_back(context.Operand(2, {"value", "other"}));
  } else {
    operands.push_back(context.Operand(0, {"input", "self", "a", "x"}));
    if (function == Pointwise::kIdentity &&
        (IsOfDtype(context, "torch.bool") || IsOfDtype(context, "bool"))) {
      function = Pointwise::kToBool;
    }
  }
  if (operands.empty()) return;
  TensorState result = Broadcast(context, function, operands);
  const bool stays_index =
      result.real.kind == Fill::Kind::kBelow || result.real.kind == Fill::Kind::kAtMost;
  if (stays_index && function != Pointwise::kIdentity) result.real = Fill::Real();
  context.Return(std::move(result));
}

void DropoutRule(NodeContext& context) {
  TensorState state = context.Operand(0, {"input"});
  const std::optional<double> probability = context.Number(context.Find(1, {"p"}));
  const bool is_off =
      probability == 0.0 || !context.BoolOr(context.Find(2, {"training", "train"}), true);
  if (!is_off && state.IsPadded()) {
    context.Contaminate("dropout in training draws other random numbers for other sizes");
  }
  if ((context.rule().flags & kTuple) != 0) {
    TensorState mask = state;
    mask.real = Fill::Number(1);
    mask.SetFills(Fill::Number(1));
    return context.ReturnTuple({std::move(state), std::move(mask)});
  }
  context.Return(std::move(state));
}

void RandomRule(NodeContext& context) {
  TensorState state;
  const Argument* first = context.Find(0, {"input", "self"});
  if (first != nullptr && context.IsTensor(first)) {
    state = context.State(first);
  } else {
    state.has_rank = true;
    for (const Argument* size : context.Varargs(0, "size")) {
      Axis axis = Axis::Plain(context.Size(size));
      axis.is_padded = context.IsPaddedSize(size);
      state.AddDim(axis);
    }
  }
  if (state.IsPadded()) return context.Contaminate("it draws other random numbers for other sizes");
  state.real = Fill::Real();
  context.Return(std::move(state));
}

}  // namespace shapewise
