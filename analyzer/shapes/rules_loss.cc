#include <algorithm>
#include <array>

#include "shapes/broadcast.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

struct LossArguments {
  TensorState input;
  TensorState target;
  bool is_none = false;  ///< one loss per element
  bool is_mean = true;
  bool is_batch_mean = false;  ///< the sum divided by the size of dim 0
  int64_t ignore_index = -100;
};

// ATen numbers the kinds of reduction: 0 none, 1 mean, 2 sum.
void ReadReduction(NodeContext& context, const Argument* argument, LossArguments& loss) {
  if (argument == nullptr) return;
  if (argument->kind == Argument::Kind::kString || argument->kind == Argument::Kind::kConstant) {
    loss.is_none = context.Text(argument) == "none";
    loss.is_mean = context.Text(argument) == "mean";
    loss.is_batch_mean = context.Text(argument) == "batchmean";
  } else if (const auto number = context.Int(argument)) {
    loss.is_none = *number == 0;
    loss.is_mean = *number == 1;
  }
}

// Whether padded positions add nothing to a sum over all.
bool IsZeroAtPadding(const TensorState& state) {
  const auto padded = std::ranges::count_if(state.axes, &Axis::is_padded);
  return std::ranges::all_of(state.axes, [&](const Axis& axis) {
    return !axis.is_padded || (padded == 1 ? axis.near : axis.all).IsNumber(0);
  });
}

// For a difference: 0 for equal numbers, and never negative.
Fill DistanceFill(const Fill& fill) {
  if (fill.IsNumber(0)) return fill;
  return Fill::Of(fill.IsFinite() ? Fill::Kind::kNonNegative : Fill::Kind::kAny);
}

// The losses of single elements, with the fill at padded positions.
TensorState ElementLosses(NodeContext& context, const LossArguments& loss) {
  const std::string_view name = context.name().base;
  const bool is_functional = context.name().is_functional;
  const std::array operands = {loss.input, loss.target};
  TensorState state;
  if (name == "mse_loss" || name == "l1_loss" || name == "smooth_l1_loss" || name == "huber_loss") {
    state = Broadcast(context, Pointwise::kSubtract, operands);
    state.ChangeFills(DistanceFill);
  } else if (name == "binary_cross_entropy_with_logits" || name == "soft_margin_loss") {
    state = Broadcast(context, Pointwise::kLinear, operands);
    state.ChangeFills(FiniteLike);
  } else if (name == "kl_div") {
    // target * (log(target) - input), or exp(target) * (target - input)
    const Argument* is_log =
        is_functional ? context.Find(5, {"log_target"}) : context.FindKeyword("log_target");
    const bool has_logarithms = context.BoolOr(is_log, false);
    const bool is_defined = has_logarithms || loss.target.Anywhere().IsNonNegative();
    state = Broadcast(context, Pointwise::kGradient, {loss.target, loss.input});
    state.ChangeFills(has_logarithms ? FiniteLike : FiniteOrZeroLike);
    if (!is_defined) state.SetFills(Fill::Of(Fill::Kind::kAny));
  } else {  // binary_cross_entropy is not defined outside of 0 to 1
    state = Broadcast(context, Pointwise::kPartial, operands);
  }
  state.real = Fill::Real();
  return state;
}

void ElementwiseLoss(NodeContext& context, LossArguments loss) {
  // aten: (input, target, reduction, ...), for binary losses with weights first; functional:
  // deprecated flags first.
  const std::string_view name = context.name().base;
  const bool is_functional = context.name().is_functional;
  const bool is_binary = name.starts_with("binary_cross_entropy");
  const bool has_logits = name == "binary_cross_entropy_with_logits";
  const Argument* reduction = context.FindKeyword("reduction");
  for (size_t i = 2; i < context.num_positional() && is_functional; ++i) {
    const Argument* argument = context.Find(i);
    if (argument != nullptr && argument->kind == Argument::Kind::kString) reduction = argument;
  }
  if (reduction == nullptr && !is_functional) {
    reduction = context.Find(has_logits ? 4 : (is_binary ? 3 : 2));
  }
  ReadReduction(context, reduction, loss);
  TensorState state = ElementLosses(context, loss);
  if (context.has_failed() || !state.has_rank) return;
  const Argument* weight = is_binary ? context.Find(2, {"weight"}) : context.FindKeyword("weight");
  if (weight != nullptr && context.IsTensor(weight)) {
    state = Broadcast(context, Pointwise::kMultiply, {state, context.State(weight)});
    if (context.has_failed() || !state.has_rank) return;
  }
  const Argument* positive =
      has_logits ? context.Find(is_functional ? 6 : 3, {"pos_weight"}) : nullptr;
  if (positive != nullptr && context.State(positive).IsPadded()) return;
  if (loss.is_none) return context.Return(std::move(state));
  const bool divides = loss.is_mean || (loss.is_batch_mean && state.rank > 0 && state.IsPadded(0));
  if (state.IsPadded() && (divides || !IsZeroAtPadding(state))) {
    return context.Contaminate(
        std::string(name) + " takes the " + (divides ? "mean" : "sum") + " over padded positions" +
            (divides ? ", without a way to leave them out" : ", whose losses are not 0"),
        divides || state.Anywhere().IsShown());
  }
  context.Return(TensorState::Scalar());
}

}  // namespace

void LossRule(NodeContext& context) {
  const auto kind = static_cast<Loss>(context.rule().code);
  LossArguments loss;
  loss.input = context.Operand(0, {"input", "self"});
  loss.target = context.Operand(1, {"target"});
  if (!loss.input.has_rank || !loss.target.has_rank) return;
  const std::string_view name = context.name().base;
  if (kind == Loss::kElementwise) return ElementwiseLoss(context, loss);
  // cross_entropy_loss(input, target, weight, reduction, ignore_index, label_smoothing);
  // functional: (input, target, weight, size_average, ignore_index, reduce, reduction, smoothing)
  const bool is_functional = context.name().is_functional;
  const Argument* reduction =
      is_functional ? context.Find(6, {"reduction"}) : context.Find(3, {"reduction"});
  ReadReduction(context, reduction, loss);
  loss.ignore_index = context.IntOr(context.Find(4, {"ignore_index"}), -100);
  const size_t classes = loss.input.rank == 1 ? 0 : 1;
  if (loss.input.rank == 0 || loss.input.IsPadded(classes)) {
    return context.Contaminate(std::string(name) + " over classes, which are padded");
  }
  if (loss.target.rank == loss.input.rank && loss.input.rank > 1) {
    if (loss.input.IsPadded() || loss.target.IsPadded()) {
      return context.Contaminate(std::string(name) +
                                 " of probabilities has no way to leave padded positions out");
    }
  }
  // The positions of input and target: all dims except the classes.
  TensorState positions = loss.input.WithoutDim(classes);
  positions.real = Fill::Real();
  TensorState state = Broadcast(context, Pointwise::kTest, {positions, loss.target});
  if (context.has_failed()) return;
  if (state.IsPadded()) {
    const auto is_ignored = [&](const Axis& axis) {
      return !axis.is_padded || axis.all.IsNumber(static_cast<double>(loss.ignore_index));
    };
    const bool is_left_out = std::ranges::all_of(loss.target.axes, is_ignored);
    // With valid classes and finite scores, a loss is finite.
    state.SetFills(is_left_out ? Fill::Number(0) : Fill::FiniteIf(loss.input.IsFiniteEverywhere()));
    if (loss.is_none && !is_left_out) context.Note("padded positions must hold valid classes");
    if (!loss.is_none && !is_left_out) {
      return context.Contaminate(
          std::string(name) + " takes the " + (loss.is_mean ? "mean" : "sum") +
              " over padded positions, whose targets are not " + std::to_string(loss.ignore_index),
          loss.target.Anywhere().IsShown());
    }
  }
  if (!loss.is_none) state = TensorState::Scalar();
  state.real = Fill::Real();
  if ((context.rule().flags & kTuple) != 0) {
    return context.ReturnTuple({std::move(state), TensorState::Scalar()});
  }
  context.Return(std::move(state));
}

}  // namespace shapewise
