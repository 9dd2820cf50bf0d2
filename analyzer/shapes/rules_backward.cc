#include <algorithm>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

constexpr const char* kNeedsZero = "it sums gradients over padded positions, without 0 there";

// Whether every padded position of `gradient` is 0.
bool IsZero(const TensorState& gradient) {
  return std::ranges::all_of(gradient.axes, [](const Axis& axis) {
    return !axis.is_padded || (axis.near.IsNumber(0) && axis.all.IsNumber(0));
  });
}

TensorState Summed(const TensorState& gradient, const TensorState& other, size_t first,
                   size_t last) {
  TensorState state = TensorState::Scalar();
  for (size_t dim = first; dim < last; ++dim) state.AddDim(gradient.Size(dim));
  if (gradient.IsPadded() &&
      (!IsZero(gradient) || !Join(other.real, other.Anywhere()).IsFinite())) {
    state.quality = Quality::kContaminated;
    state.why = kNeedsZero;
  }
  return state;
}

// The gradient of an operator that computes rows independently: 0 where the incoming gradient is 0.
TensorState RowGradient(const TensorState& gradient, const TensorState& other) {
  TensorState state = gradient;
  state.real = Fill::Real();
  const bool is_finite = Join(other.real, other.Anywhere()).IsFinite();
  state.ChangeFills([&](const Fill& fill) {
    return is_finite ? FiniteOrZeroLike(fill) : Fill::Of(Fill::Kind::kAny);
  });
  return state;
}

void SoftmaxGradient(NodeContext& context, bool is_log) {
  // (grad_output, output, dim, input_dtype)
  const TensorState gradient = context.Operand(0, {"grad_output"});
  const TensorState output = context.Operand(1, {"output"});
  const auto dim = context.DimOf(gradient, 2);
  if (!dim || !output.has_rank) return;
  TensorState state =
      Broadcast(context, is_log ? Pointwise::kGradient : Pointwise::kMultiply, {gradient, output});
  if (context.has_failed()) return;
  for (const Axis& axis : state.Dim(*dim)) {
    const bool sums_padding =
        is_log ? gradient.IsPadded(*dim) && !IsZero(gradient) : !axis.near.IsNumber(0);
    if (axis.is_padded && sums_padding) {
      return context.Contaminate(kNeedsZero, (is_log ? gradient.Anywhere() : axis.near).IsShown());
    }
  }
  state.real = Fill::Real();
  context.Return(std::move(state));
}

void SliceGradient(NodeContext& context, bool is_select) {
  // slice_backward(grad, sizes, dim, start, end, step); select_backward(grad, sizes, dim, index)
  const TensorState gradient = context.Operand(0, {"grad_output"});
  const ArgumentList sizes = context.Elements(context.Find(1, {"input_sizes"}));
  const auto at = context.Int(context.Find(2, {"dim"}));
  if (!gradient.has_rank || !at) return;
  const auto dim = NormalizeDim(*at, sizes.size());
  if (!dim || gradient.rank + (is_select ? 1u : 0u) != sizes.size()) return;
  TensorState state = TensorState::Scalar();
  const auto widen = [&](Axis axis) {
    axis.near = FiniteOrZeroLike(axis.near);
    axis.all = FiniteOrZeroLike(axis.all);
    return axis;
  };
  for (size_t d = 0; d < sizes.size(); ++d) {
    const size_t own = is_select && d > *dim ? d - 1 : d;
    if (d != *dim) {
      llvm::SmallVector<Axis, 2> parts;
      for (const Axis& axis : gradient.Dim(own)) parts.push_back(widen(axis));
      state.AddDim(parts);
      continue;
    }
    Axis axis = Axis::Plain(context.Size(sizes[d]));
    axis.is_padded = context.IsPaddedSize(sizes[d]);
    axis.near = axis.all = Fill::Number(0);
    const Argument* start = context.Find(3, {"start", "index"});
    if (axis.is_padded && (context.IsPaddedSize(start) || context.IntOr(start, 0) < 0)) {
      return context.Contaminate("it writes at a position that padding moves");
    }
    if (!is_select && gradient.IsPadded(d)) {
      const Axis* along = gradient.Single(d);
      const bool is_whole = along != nullptr && along->size == axis.size;
      if (along == nullptr || (!is_whole && !along->near.IsNumber(0))) {
        return context.Contaminate(kNeedsZero, along != nullptr && along->near.IsShown());
      }
      axis.near = widen(*along).near;
      axis.all = widen(*along).all;
    }
    state.AddDim(axis);
  }
  context.Return(std::move(state));
}

void NormGradient(NodeContext& context) {
  // (grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask)
  const TensorState gradient = context.Operand(0, {"grad_out"});
  const TensorState input = context.Operand(1, {"input"});
  const size_t count = context.Elements(context.Find(2, {"normalized_shape"})).size();
  if (!gradient.has_rank || !input.has_rank || count > gradient.rank) return;
  const size_t first = gradient.rank - count;
  for (size_t dim = first; dim < gradient.rank; ++dim) {
    if (context.ContaminatesPadded(gradient, dim, "it sums over")) return;
  }
  const TensorState weight = Summed(gradient, input, first, gradient.rank);
  context.ReturnTuple({RowGradient(gradient, input), weight, weight});
}

void ConvolutionGradient(NodeContext& context) {
  // (grad_output, input, weight, bias_sizes, stride, padding, ...)
  const TensorState gradient = context.Operand(0, {"grad_output"});
  const TensorState input = context.Operand(1, {"input"});
  const TensorState weight = context.Operand(2, {"weight"});
  if (!gradient.has_rank || !input.has_rank || !weight.has_rank || input.rank < 3) return;
  if (gradient.rank != input.rank) return;
  for (size_t dim = 1; dim < input.rank; ++dim) {
    if (!input.IsPadded(dim) && !gradient.IsPadded(dim)) continue;
    return context.Unknown(
        "the gradient of a convolution along a padded dim could not be followed");
  }
  TensorState into = input;
  const TensorState rows = RowGradient(gradient, weight);
  for (Axis& axis : into.axes) {
    if (!axis.is_padded || !rows.axes[0].is_padded) continue;
    axis.near = rows.axes[0].near;
    axis.all = rows.axes[0].all;
  }
  TensorState kernel = Summed(gradient, input, 0, 0);
  kernel.axes.clear();
  kernel.rank = 0;
  for (size_t dim = 0; dim < weight.rank; ++dim) kernel.AddDim(weight.Dim(dim));
  TensorState bias = Summed(gradient, input, 1, 2);
  context.ReturnTuple({std::move(into), std::move(kernel), std::move(bias)});
}

void AttentionGradient(NodeContext& context) {
  // (grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, *, attn_mask)
  const TensorState gradient = context.Operand(0, {"grad_out"});
  const TensorState query = context.Operand(1, {"query"});
  const TensorState key = context.Operand(2, {"key"});
  const TensorState value = context.Operand(3, {"value"});
  if (!gradient.has_rank || !query.has_rank || !key.has_rank || !value.has_rank || query.rank < 2) {
    return;
  }
  const size_t row = query.rank - 2u;
  TensorState into_query = RowGradient(query, query);
  TensorState into_key = RowGradient(key, key);
  TensorState into_value = RowGradient(value, value);
  if (key.IsPadded(row)) {
    const bool is_causal = context.BoolOr(context.Find(7, {"is_causal"}), false);
    const Argument* mask = context.FindKeyword("attn_mask");
    const TensorState mask_state = mask == nullptr ? TensorState() : context.State(mask);
    const Axis* masked = mask_state.rank == 0 ? nullptr : mask_state.Single(mask_state.rank - 1u);
    if (!is_causal && (masked == nullptr || !masked->is_padded || !masked->near.IsVeryLow())) {
      into_query.quality = Quality::kContaminated;
      into_query.why = "attention over padded keys without a mask that leaves them out";
    }
  }
  if (query.IsPadded(row) && !IsZero(gradient)) {
    for (TensorState* state : {&into_key, &into_value}) {
      state->quality = Quality::kContaminated;
      state->why = kNeedsZero;
    }
  }
  context.ReturnTuple({std::move(into_query), std::move(into_key), std::move(into_value)});
}

}  // namespace

void GradientRule(NodeContext& context) {
  switch (static_cast<Gradient>(context.rule().code)) {
    case Gradient::kSoftmax:
      return SoftmaxGradient(context, false);
    case Gradient::kLogSoftmax:
      return SoftmaxGradient(context, true);
    case Gradient::kLayerNorm:
      return NormGradient(context);
    case Gradient::kEmbedding: {
      // (grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)
      const TensorState gradient = context.Operand(0, {"grad_output"});
      if (!gradient.has_rank || gradient.rank == 0) return;
      if (gradient.IsPadded() && !IsZero(gradient)) {
        return context.Contaminate(kNeedsZero, gradient.Anywhere().IsShown());
      }
      TensorState state;
      state.AddDim(context.Size(context.Find(2, {"num_weights"})));
      state.AddDim(gradient.Dim(gradient.rank - 1u));
      return context.Return(std::move(state));
    }
    case Gradient::kSelect:
      return SliceGradient(context, true);
    case Gradient::kSlice:
      return SliceGradient(context, false);
    case Gradient::kNegativeLikelihood: {
      // (grad_output, self, target, weight, reduction, ignore_index, total_weight)
      TensorState state = context.Operand(1, {"self"});
      const TensorState target = context.Operand(2, {"target"});
      const auto ignored =
          static_cast<double>(context.IntOr(context.Find(5, {"ignore_index"}), -100));
      if (!state.has_rank || !target.has_rank) return;
      const bool is_left_out = std::ranges::all_of(target.axes, [&](const Axis& axis) {
        return !axis.is_padded || axis.all.IsNumber(ignored);
      });
      state.real = Fill::Real();
      state.SetFills(is_left_out ? Fill::Number(0) : Fill::Of(Fill::Kind::kFinite));
      return context.Return(std::move(state));
    }
    case Gradient::kConvolution:
      return ConvolutionGradient(context);
    case Gradient::kAttention:
      return AttentionGradient(context);
  }
}

}  // namespace shapewise
