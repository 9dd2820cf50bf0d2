#include <algorithm>
#include <array>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

// Padded rows that are normalised by themselves: finite for finite rows, as a variance has an
// epsilon added.
void NormalizeFills(TensorState& state) {
  state.real = Fill::Real();
  state.ChangeFills([](const Fill& fill) {
    return Fill::Of(fill.IsFinite() ? Fill::Kind::kFinite : Fill::Kind::kAny);
  });
}

// True, and the context is told, if padding stands along one of `dims`.
bool IsMixedOver(NodeContext& context, const TensorState& state, size_t first, size_t last) {
  for (size_t dim = first; dim < last && dim < state.rank; ++dim) {
    if (!state.IsPadded(dim)) continue;
    context.Contaminate(std::string(context.name().base) + " takes mean and variance over " +
                        context.DimText(state, dim) + ", which is padded");
    return true;
  }
  return false;
}

// What a statistic of the rows of `state` looks like: dims from `first` on are 1 or left out.
TensorState Statistic(NodeContext& context, const TensorState& state, size_t first, bool keeps) {
  TensorState result;
  result.has_rank = true;
  for (size_t dim = 0; dim < state.rank; ++dim) {
    if (dim < first) {
      result.AddDim(state.Dim(dim));
    } else if (keeps) {
      result.AddDim(context.pool().Integer(1));
    }
  }
  NormalizeFills(result);
  return result;
}

int64_t EachOf(NodeContext& context, const ArgumentList& list, size_t at, int64_t otherwise) {
  if (list.empty()) return otherwise;
  return context.IntOr(list[std::min(at, list.size() - 1)], otherwise);
}

ExprId WindowCount(ExprPool& pool, ExprId size, int64_t padding, int64_t span, int64_t stride,
                   bool rounds_up) {
  if (size == ExprId::kNone || stride <= 0) return ExprId::kNone;
  const ExprId room = pool.Add(std::array{size, pool.Integer(2 * padding - span)});
  return pool.Add(std::array{
      pool.Binary(rounds_up ? ExprKind::kCeilDiv : ExprKind::kFloorDiv, room, pool.Integer(stride)),
      pool.Integer(1)});
}

// The axis of windows over `axis`. Tells the context when windows of real positions see padding.
Axis OverWindows(NodeContext& context, const TensorState& state, size_t dim, int64_t padding,
                 int64_t span, int64_t stride, bool rounds_up, const Fill& border) {
  const llvm::ArrayRef<Axis> parts = state.Dim(dim);
  Axis axis = parts.size() == 1 ? parts[0] : Axis::Plain(ExprId::kNone);
  axis.size = WindowCount(context.pool(), axis.size, padding, span, stride, rounds_up);
  axis.dim = 0;
  if (!state.IsPadded(dim)) return axis;
  if (parts.size() != 1) {
    context.Contaminate("it moves windows over a folded dim");
    return axis;
  }
  // Without a border, windows of the real result end before padding begins.
  const bool sees_border = padding > 0 || rounds_up;
  const bool is_alike =
      parts[0].near == border || (border.IsVeryLow() && parts[0].near.IsVeryLow());
  if (sees_border && !is_alike) {
    context.Contaminate("windows at the end of " + context.DimText(state, dim) +
                        " see padding, where the real program sees a border of " +
                        (border.IsNumber(0) ? "0" : "-inf"));
  }
  return axis;
}

}  // namespace

void LayerNormRule(NodeContext& context) {
  // layer_norm(input, normalized_shape, ...), rms_norm, native_layer_norm, _fused_rms_norm.
  TensorState state = context.Operand(0, {"input"});
  const Argument* shape = context.Find(1, {"normalized_shape"});
  if (!state.has_rank || shape == nullptr) return;
  const size_t count = context.Elements(shape).size();
  if (count > state.rank) return;
  const size_t first = state.rank - count;
  if (IsMixedOver(context, state, first, state.rank)) return;
  TensorState statistic = Statistic(context, state, first, true);
  NormalizeFills(state);
  if ((context.rule().flags & kTuple) != 0) {
    TensorState second = statistic;
    context.ReturnTuple({std::move(state), std::move(statistic), std::move(second)});
    if (context.name().base.find("rms") != std::string_view::npos) context.results().pop_back();
    return;
  }
  context.Return(std::move(state));
}

void ChannelNormRule(NodeContext& context) {
  auto kind = static_cast<ChannelNorm>(context.rule().code);
  TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank || state.rank < 2) return;
  if (kind == ChannelNorm::kBatch) {
    // training stands behind (input, running_mean, running_var, weight, bias) in the functional
    // form and behind (input, weight, bias, running_mean, running_var) in ATen's.
    const bool training = context.BoolOr(context.Find(5, {"training", "train"}), true);
    if (!training) kind = ChannelNorm::kBatchInference;
  }
  switch (kind) {
    case ChannelNorm::kBatchInference:
      break;
    case ChannelNorm::kBatch:
      if (IsMixedOver(context, state, 0, 1) || IsMixedOver(context, state, 2, state.rank)) return;
      break;
    case ChannelNorm::kGroup:
      if (IsMixedOver(context, state, 1, state.rank)) return;
      break;
    case ChannelNorm::kInstance:
      if (IsMixedOver(context, state, 2, state.rank)) return;
      break;
  }
  TensorState channels;
  channels.AddDim(state.Dim(1));
  NormalizeFills(state);
  if ((context.rule().flags & kTuple) == 0) {
    context.Return(std::move(state));
    return;
  }
  if (kind == ChannelNorm::kGroup) {  // native_group_norm(..., N, C, HxW, groups, eps)
    TensorState statistic;
    statistic.AddDim(state.Dim(0));
    statistic.AddDim(context.Size(context.Find(6, {"group"})));
    NormalizeFills(statistic);
    TensorState second = statistic;
    context.ReturnTuple({std::move(state), std::move(statistic), std::move(second)});
    return;
  }
  NormalizeFills(channels);
  llvm::SmallVector<TensorState, 2> results = {std::move(state)};
  for (int i = 0; i < 4; ++i) results.push_back(channels);
  context.ReturnTuple(std::move(results));
}

void NormalizeRule(NodeContext& context) {
  const bool is_similarity = context.rule().code != 0;
  llvm::SmallVector<TensorState, 2> operands = {context.Operand(0, {"input", "x1"})};
  if (is_similarity) operands.push_back(context.Operand(1, {"x2"}));
  TensorState state = Broadcast(context, Pointwise::kTest, operands);
  if (!state.has_rank || context.has_failed()) return;
  // normalize(input, p, dim, eps); cosine_similarity(x1, x2, dim, eps).
  const auto dim = NormalizeDim(context.IntOr(context.Find(2, {"dim"}), 1), state.rank);
  if (!dim) return;
  if (state.IsPadded(*dim)) {
    context.Contaminate(std::string(context.name().base) + " takes the norm over " +
                        context.DimText(state, *dim) + ", which is padded");
    return;
  }
  NormalizeFills(state);
  context.Return(is_similarity ? [&] {
    TensorState result;
    result.has_rank = true;
    for (size_t d = 0; d < state.rank; ++d) {
      if (d != *dim) result.AddDim(state.Dim(d));
    }
    return result;
  }()
                               : std::move(state));
}

void ConvolutionRule(NodeContext& context) {
  // convNd(input, weight, bias, stride, padding, dilation, groups);
  // convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
  const bool is_general = context.rule().code != 0;
  const TensorState state = context.Operand(0, {"input"});
  const TensorState weight = context.Operand(1, {"weight"});
  if (!state.has_rank || !weight.has_rank || weight.rank < 3) return;
  const size_t spatial = weight.rank - 2u;
  if (state.rank != weight.rank && state.rank + 1u != weight.rank) return;
  const bool transposed = is_general
                              ? context.BoolOr(context.Find(6, {"transposed"}), false)
                              : context.name().base.find("transpose") != std::string_view::npos;
  const size_t channel = state.rank - spatial - 1;
  const auto channel_padded = state.IsPadded(channel);
  if (channel_padded) {
    context.Contaminate("it sums over the channels of " + context.DimText(state, channel) +
                        ", which is padded");
    return;
  }
  const ArgumentList strides = context.Elements(context.Find(3, {"stride"}));
  const ArgumentList paddings = context.Elements(context.Find(4, {"padding"}));
  const ArgumentList dilations = context.Elements(context.Find(5, {"dilation"}));
  const bool is_named = !paddings.empty() && paddings[0]->kind == Argument::Kind::kString;
  const bool is_same = is_named && context.Text(paddings[0]) == "same";
  ExprPool& pool = context.pool();
  TensorState result;
  result.has_rank = true;
  for (size_t dim = 0; dim < channel; ++dim) result.AddDim(state.Dim(dim));
  result.AddDim(transposed ? ExprId::kNone : weight.Size(0));
  for (size_t i = 0; i < spatial; ++i) {
    const size_t dim = channel + 1 + i;
    const ExprId kernel_size = weight.Size(2 + i);
    const bool is_constant = pool.kind(kernel_size) == ExprKind::kInteger;
    if (transposed || !is_constant) {
      if (state.IsPadded(dim)) {
        context.Unknown("a transposed convolution over " + context.DimText(state, dim) +
                        ", which is padded, is not followed");
        return;
      }
      result.AddDim(ExprId::kNone);
      continue;
    }
    const int64_t span = (pool.value(kernel_size) - 1) * EachOf(context, dilations, i, 1) + 1;
    const int64_t stride = EachOf(context, strides, i, 1);
    int64_t padding = is_named ? 0 : EachOf(context, paddings, i, 0);
    if (is_same) padding = span / 2;
    Axis axis = OverWindows(context, state, dim, padding, span, stride, false, Fill::Number(0));
    if (is_same && state.Dim(dim).size() == 1) axis.size = state.Size(dim);
    if (context.has_failed()) return;
    result.AddDim(axis);
  }
  const Fill found = Join(state.real, state.Anywhere());
  result.ChangeFills([&](const Fill&) {
    return Fill::Of(found.IsFinite() ? Fill::Kind::kFinite : Fill::Kind::kAny);
  });
  context.Return(std::move(result));
}

void PoolRule(NodeContext& context) {
  const auto kind = static_cast<Pool>(context.rule().code);
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank) return;
  const std::string_view name = context.name().base;
  size_t spatial = 2;
  if (name.find("1d") != std::string_view::npos) spatial = 1;
  if (name.find("3d") != std::string_view::npos) spatial = 3;
  if (state.rank < spatial) return;
  const size_t first = state.rank - spatial;
  TensorState result;
  result.has_rank = true;
  for (size_t dim = 0; dim < first; ++dim) result.AddDim(state.Dim(dim));
  if (kind == Pool::kAdaptive) {
    const ArgumentList sizes = context.Elements(context.Find(1, {"output_size"}));
    for (size_t i = 0; i < spatial; ++i) {
      if (state.IsPadded(first + i)) {
        context.Contaminate("it divides " + context.DimText(state, first + i) +
                            ", which is padded, into parts");
        return;
      }
      const bool is_none =
          sizes.empty() || sizes[std::min(i, sizes.size() - 1)]->kind == Argument::Kind::kNone;
      result.AddDim(is_none ? state.Size(first + i)
                            : context.Size(sizes[std::min(i, sizes.size() - 1)]));
    }
  } else {
    // max_pool(input, kernel, stride, padding, dilation, ceil_mode);
    // avg_pool(input, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)
    const bool is_max = kind == Pool::kMax;
    const ArgumentList kernels = context.Elements(context.Find(1, {"kernel_size"}));
    ArgumentList strides = context.Elements(context.Find(2, {"stride"}));
    if (strides.empty()) strides = kernels;
    const ArgumentList paddings = context.Elements(context.Find(3, {"padding"}));
    const ArgumentList dilations =
        is_max ? context.Elements(context.Find(4, {"dilation"})) : ArgumentList();
    const bool rounds_up = context.BoolOr(context.Find(is_max ? 5 : 4, {"ceil_mode"}), false);
    const bool counts_border =
        !is_max && context.BoolOr(context.Find(5, {"count_include_pad"}), true) && !rounds_up;
    for (size_t i = 0; i < spatial; ++i) {
      const size_t dim = first + i;
      const int64_t kernel = EachOf(context, kernels, i, 1);
      const int64_t padding = EachOf(context, paddings, i, 0);
      const int64_t span = (kernel - 1) * EachOf(context, dilations, i, 1) + 1;
      const int64_t stride = EachOf(context, strides, i, kernel);
      Fill border = Fill::Of(Fill::Kind::kVeryLow);
      // A mean that leaves the border out divides by fewer elements than one over zeros.
      if (!is_max) border = counts_border ? Fill::Number(0) : Fill::Number(-1e300);
      const Axis axis = OverWindows(context, state, dim, padding, span, stride, rounds_up, border);
      if (context.has_failed()) return;
      result.AddDim(axis);
    }
  }
  result.real = Fill::Real();
  const Fill found = Join(state.real, state.Anywhere());
  result.ChangeFills([&](const Fill&) {
    return Fill::Of(found.IsFinite() ? Fill::Kind::kFinite : Fill::Kind::kAny);
  });
  const bool is_pair = (context.rule().flags & kPair) != 0;
  if (!is_pair) {
    context.Return(std::move(result));
    return;
  }
  TensorState indices = result;
  for (size_t dim = first; dim < state.rank; ++dim) {
    // Positions are counted through all rows.
    if (!state.IsPadded(dim) || dim == first) continue;
    indices.quality = Quality::kContaminated;
    indices.why = "positions counted through a padded dim change";
  }
  context.ReturnTuple({std::move(result), std::move(indices)});
}

void UpsampleRule(NodeContext& context) {
  TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank || state.rank < 3) return;
  for (size_t dim = 2; dim < state.rank; ++dim) {
    if (!state.IsPadded(dim)) continue;
    context.Unknown("interpolation along " + context.DimText(state, dim) +
                    ", which is padded, is not followed");
    return;
  }
  TensorState result;
  result.AddDim(state.Dim(0));
  result.AddDim(state.Dim(1));
  for (size_t dim = 2; dim < state.rank; ++dim) result.AddDim(ExprId::kNone);
  NormalizeFills(result);
  context.Return(std::move(result));
}

}  // namespace shapewise
