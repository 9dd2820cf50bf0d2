#include <algorithm>
#include <cmath>

#include "shapes/rules.h"

namespace shapewise {
namespace {

constexpr int64_t kMostSpoiled = 1 << 20;  // a border that is wider is not cut off

int64_t EachOf(NodeContext& context, const ArgumentList& list, size_t at, int64_t otherwise) {
  if (list.empty()) return otherwise;
  return context.IntOr(list[std::min(at, list.size() - 1)], otherwise);
}

ExprId WindowCount(ExprPool& pool, ExprId size, int64_t padding, int64_t span, int64_t stride,
                   bool rounds_up) {
  if (size == ExprId::kNone || stride <= 0) return ExprId::kNone;
  const ExprId room = pool.Add({size, pool.Integer(2 * padding - span)});
  return pool.Add({pool.Binary(rounds_up ? ExprKind::kCeilDiv : ExprKind::kFloorDiv, room,
                               pool.Integer(stride)),
                   pool.Integer(1)});
}

// The axis of windows over `axis`. Reports to the context if windows of real positions contain
// padding.
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
    std::string why = "windows at the end of " + context.DimText(state, dim) +
                      " see padding, where the real program sees a border of " +
                      (border.IsNumber(0) ? "0" : "-inf");
    // With a step of 1 as many windows as the border has positions begin so far behind that they
    // reach past the real end.
    if (stride == 1 && !rounds_up && padding <= kMostSpoiled) {
      axis.spoiled = static_cast<int32_t>(padding);
      context.Spoil(std::move(why), parts[0].near.IsShown());
    } else {
      context.Contaminate(std::move(why), parts[0].near.IsShown());
    }
  }
  return axis;
}

// The output axis of a transposed convolution: each position adds to a window of the result.
Axis UnderWindows(NodeContext& context, const TensorState& state, size_t dim, int64_t padding,
                  int64_t span, int64_t stride, int64_t extra) {
  const llvm::ArrayRef<Axis> parts = state.Dim(dim);
  ExprPool& pool = context.pool();
  Axis axis = parts.size() == 1 ? parts[0] : Axis::Plain(ExprId::kNone);
  axis.dim = 0;
  if (axis.size != ExprId::kNone) {
    // (size - 1) * stride - 2 * padding + span + extra
    const ExprId scaled = pool.Mul({axis.size, pool.Integer(stride)});
    axis.size = pool.Add({scaled, pool.Integer(span + extra - stride - 2 * padding)});
  }
  if (!state.IsPadded(dim)) return axis;
  if (parts.size() != 1) {
    context.Contaminate("it moves windows over a folded dim");
    return axis;
  }
  // The first padded position n writes from n * stride - padding on; the real result ends at (n -
  // 1) * stride - 2 * padding + span + extra.
  const bool overlaps = span + extra - padding > stride;
  if (overlaps && !parts[0].near.IsNumber(0)) {
    context.Contaminate("windows of padded positions of " + context.DimText(state, dim) +
                            " reach into the real result, without 0 there",
                        parts[0].near.IsShown());
  }
  return axis;
}

struct ConvolutionArguments {
  TensorState input;
  TensorState weight;
  bool is_transposed = false;
  bool has_named_padding = false;  ///< 'same' or 'valid'
  bool is_same = false;
  int64_t groups = 1;
  ArgumentList strides;
  ArgumentList paddings;
  ArgumentList dilations;
  ArgumentList output_paddings;
};

// convNd(input, weight, bias, stride, padding, dilation, groups);
// conv_transposeNd(input, weight, bias, stride, padding, output_padding, groups, dilation);
// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups).
ConvolutionArguments ReadConvolution(NodeContext& context) {
  const bool is_general = context.rule().code != 0;
  ConvolutionArguments given;
  given.input = context.Operand(0, {"input"});
  given.weight = context.Operand(1, {"weight"});
  given.is_transposed = is_general
                            ? context.BoolOr(context.Find(6, {"transposed"}), false)
                            : context.name().base.find("transpose") != std::string_view::npos;
  const bool is_reordered = !is_general && given.is_transposed;
  given.strides = context.Elements(context.Find(3, {"stride"}));
  given.paddings = context.Elements(context.Find(4, {"padding"}));
  given.dilations = context.Elements(context.Find(is_reordered ? 7 : 5, {"dilation"}));
  if (given.is_transposed) {
    given.output_paddings = context.Elements(context.Find(is_general ? 7 : 5, {"output_padding"}));
  }
  given.groups = context.IntOr(context.Find(is_general ? 8 : 6, {"groups"}), 1);
  given.has_named_padding =
      !given.paddings.empty() && given.paddings[0]->kind == Argument::Kind::kString;
  given.is_same = given.has_named_padding && context.Text(given.paddings[0]) == "same";
  return given;
}

// Nearest-neighbour interpolation with a given scale: position j reads j / scale, independent of
// the end of the input. Other modes read beyond the last position, or divide by the size.
std::optional<double> NearestScale(NodeContext& context, size_t at) {
  const std::string_view name = context.name().base;
  const Argument* scale = nullptr;
  if (name == "interpolate") {
    const Argument* mode = context.Find(3, {"mode"});
    const bool is_nearest =
        mode == nullptr || context.Text(mode) == "nearest" || context.Text(mode) == "nearest-exact";
    const bool is_recomputed = context.BoolOr(context.Find(5, {"recompute_scale_factor"}), false);
    if (!is_nearest || is_recomputed || context.Find(1, {"size"}) != nullptr) return std::nullopt;
    scale = context.Find(2, {"scale_factor"});
  } else if (name.find("nearest") != std::string_view::npos && context.num_positional() == 3 &&
             context.Find(1, {"output_size"}) == nullptr) {
    scale = context.Find(2, {"scale_factors"});
  }
  if (scale == nullptr) return std::nullopt;
  const ArgumentList scales = context.Elements(scale);
  if (scales.empty()) return std::nullopt;
  return context.Number(scales[std::min(at, scales.size() - 1)]);
}

}  // namespace

void ConvolutionRule(NodeContext& context) {
  const ConvolutionArguments given = ReadConvolution(context);
  const TensorState& state = given.input;
  const TensorState& weight = given.weight;
  if (!state.has_rank || !weight.has_rank || weight.rank < 3) return;
  const size_t spatial = weight.rank - 2u;
  if (state.rank != weight.rank && state.rank + 1u != weight.rank) return;
  const size_t channel = state.rank - spatial - 1;
  if (context.ContaminatesPadded(state, channel, "it sums over the channels of")) return;
  ExprPool& pool = context.pool();
  TensorState result;
  for (size_t dim = 0; dim < channel; ++dim) result.AddDim(state.Dim(dim));
  const ExprId channels = weight.Size(given.is_transposed ? 1 : 0);
  const bool has_groups = given.is_transposed && channels != ExprId::kNone;
  result.AddDim(has_groups ? pool.Mul({channels, pool.Integer(given.groups)}) : channels);
  for (size_t i = 0; i < spatial; ++i) {
    const size_t dim = channel + 1 + i;
    const ExprId kernel_size = weight.Size(2 + i);
    if (pool.kind(kernel_size) != ExprKind::kInteger) {
      if (state.IsPadded(dim)) {
        return context.Unknown("a convolution over " + context.DimText(state, dim) +
                               ", which is padded, with a kernel of unknown size");
      }
      result.AddDim(ExprId::kNone);
      continue;
    }
    const int64_t span = (pool.value(kernel_size) - 1) * EachOf(context, given.dilations, i, 1) + 1;
    const int64_t stride = EachOf(context, given.strides, i, 1);
    int64_t padding = given.has_named_padding ? 0 : EachOf(context, given.paddings, i, 0);
    if (given.is_same) padding = span / 2;
    Axis axis;
    if (given.is_transposed) {
      const int64_t extra = EachOf(context, given.output_paddings, i, 0);
      axis = UnderWindows(context, state, dim, padding, span, stride, extra);
    } else {
      axis = OverWindows(context, state, dim, padding, span, stride, false, Fill::Number(0));
      if (given.is_same && state.Dim(dim).size() == 1) axis.size = state.Size(dim);
    }
    if (context.has_failed()) return;
    result.AddDim(axis);
  }
  result.SetFills(FiniteLike(Join(state.real, state.Anywhere())));
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
  TensorState result = TensorState::Scalar();
  for (size_t dim = 0; dim < first; ++dim) result.AddDim(state.Dim(dim));
  if (kind == Pool::kAdaptive) {
    const ArgumentList sizes = context.Elements(context.Find(1, {"output_size"}));
    for (size_t i = 0; i < spatial; ++i) {
      if (state.IsPadded(first + i)) {
        return context.Contaminate("it divides " + context.DimText(state, first + i) +
                                   ", which is padded, into parts");
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
      // A mean that excludes the border divides by fewer elements than one over zeros.
      if (!is_max) border = counts_border ? Fill::Number(0) : Fill::Number(-1e300);
      const Axis axis = OverWindows(context, state, dim, padding, span, stride, rounds_up, border);
      if (context.has_failed()) return;
      result.AddDim(axis);
    }
  }
  result.SetFills(FiniteLike(Join(state.real, state.Anywhere())));
  const bool is_pair = (context.rule().flags & kPair) != 0;
  if (!is_pair) return context.Return(std::move(result));
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
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank || state.rank < 3) return;
  ExprPool& pool = context.pool();
  TensorState result;
  result.AddDim(state.Dim(0));
  result.AddDim(state.Dim(1));
  for (size_t dim = 2; dim < state.rank; ++dim) {
    const auto scale = NearestScale(context, dim - 2);
    const Axis* single = state.Single(dim);
    const bool is_followed = scale && *scale > 0 && single != nullptr;
    if (!is_followed && state.IsPadded(dim)) {
      return context.Unknown("interpolation along " + context.DimText(state, dim) +
                             ", which is padded, is not followed");
    }
    Axis axis = is_followed ? *single : Axis::Plain(ExprId::kNone);
    const bool is_whole = is_followed && *scale == std::floor(*scale) && *scale < 1e6;
    axis.size = is_whole && axis.size != ExprId::kNone
                    ? pool.Mul({axis.size, pool.Integer(static_cast<int64_t>(*scale))})
                    : ExprId::kNone;
    result.AddDim(axis);
  }
  result.SetFills(Fill::FiniteIf(state.IsFiniteEverywhere()));
  context.Return(std::move(result));
}

void ShuffleRule(NodeContext& context) {
  // pixel_shuffle(input, r): [..., c * r * r, h, w] becomes [..., c, h * r, w * r]; pixel_unshuffle
  // is the reverse. Real rows stay first.
  const bool makes_channels = context.rule().code != 0;
  const TensorState state = context.Operand(0, {"input", "self"});
  const auto factor = context.Int(context.Find(1, {"upscale_factor", "downscale_factor"}));
  if (!state.has_rank || state.rank < 3 || !factor || *factor <= 0 || *factor > 4096) return;
  const size_t channel = state.rank - 3u;
  if (context.ContaminatesPadded(state, channel, "it makes pixels of channels of")) return;
  ExprPool& pool = context.pool();
  const auto scaled = [&](ExprId size, int64_t by, bool grows) {
    if (size == ExprId::kNone) return size;
    return grows ? pool.Mul({size, pool.Integer(by)})
                 : pool.Binary(ExprKind::kFloorDiv, size, pool.Integer(by));
  };
  TensorState result = TensorState::Scalar(state.real);
  for (size_t dim = 0; dim < state.rank; ++dim) {
    if (dim < channel) {
      result.AddDim(state.Dim(dim));
      continue;
    }
    const Axis* single = state.Single(dim);
    if (single == nullptr && state.IsPadded(dim)) {
      return context.Unknown("pixels of a folded dim are not followed");
    }
    Axis axis = single == nullptr ? Axis::Plain(ExprId::kNone) : *single;
    axis.size = dim == channel ? scaled(axis.size, *factor * *factor, makes_channels)
                               : scaled(axis.size, *factor, !makes_channels);
    result.AddDim(axis);
  }
  context.Return(std::move(result));
}

}  // namespace shapewise
