#include "shapes/broadcast.h"

#include <algorithm>
#include <array>
#include <limits>

#include "shapes/propagation.h"

namespace shapewise {
namespace {

// Larger than any size: PyTorch's way to write an open end.
constexpr int64_t kOpenEnd = std::numeric_limits<int64_t>::max() / 2;

bool IsFoldedWithPadding(const TensorState& state, size_t dim) {
  const llvm::ArrayRef<Axis> parts = state.Dim(dim);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].is_padded) return true;
  }
  return false;
}

// Whether a size never decreases when the symbol increases, and never counts from the end.
bool Grows(const ExprPool& pool, ExprId size, ExprId symbol) {
  constexpr auto kSizes = std::to_array<int64_t>({8, 9, 12, 31, 64, 4096});
  int64_t last = 0;
  for (const int64_t sample : kSizes) {
    const std::optional<int64_t> value = pool.Evaluate(
        size, [&](ExprId id) { return std::optional<int64_t>(id == symbol ? sample : 64); });
    if (!value || *value < last) return false;
    last = *value;
  }
  return true;
}

// How many of the last real positions of `part` are wrong, where it is taken from `whole`: those
// that are cut off at the end are gone.
int32_t SpoiledLeft(NodeContext& context, const Axis& whole, const Axis& part, bool is_from_start) {
  if (whole.spoiled == 0 || !part.is_padded || !is_from_start || part.size == ExprId::kNone) {
    return whole.spoiled;
  }
  const ExprPool& pool = context.pool();
  const ExprId cut = context.pool().Subtract(whole.size, part.size);
  if (pool.kind(cut) != ExprKind::kInteger || pool.value(cut) < 0) return whole.spoiled;
  return static_cast<int32_t>(std::max<int64_t>(0, whole.spoiled - pool.value(cut)));
}

}  // namespace

bool TakePosition(NodeContext& context, const TensorState& state, size_t dim,
                  const Argument* position) {
  if (!state.IsPadded(dim)) return true;
  const Axis* single = state.Single(dim);
  if (single != nullptr && single->spoiled > 0) {
    context.Contaminate("it takes a position of " + context.DimText(state, dim) +
                            ", whose last real ones see padding",
                        /*is_shown=*/false);
    return false;
  }
  const std::optional<int64_t> index = context.Int(position);
  if (context.IsPaddedSize(position) || (index && *index < 0)) {
    context.Contaminate("it takes a position counted from the end of " +
                            context.DimText(state, dim) + ", which is padded",
                        state.Anywhere().IsShown());
    return false;
  }
  if (IsFoldedWithPadding(state, dim) && index != 0) {
    context.Contaminate("it takes a position of " + context.DimText(state, dim) +
                        ", which is folded");
    return false;
  }
  return true;
}

llvm::SmallVector<Axis, 2> TakeRange(NodeContext& context, const TensorState& state, size_t dim,
                                     const Range& range) {
  llvm::SmallVector<Axis, 2> parts(state.Dim(dim).begin(), state.Dim(dim).end());
  ExprPool& pool = context.pool();
  if (parts.empty()) {  // more indices than dims
    context.Unknown("an index could not be followed");
    return {Axis::Plain(ExprId::kNone)};
  }
  const int64_t step = context.IntOr(range.step, 1);
  std::optional<int64_t> start = range.start == nullptr ? 0 : context.Int(range.start);
  bool is_open = range.stop == nullptr || context.IntOr(range.stop, 0) >= kOpenEnd;
  ExprId size = pool.Integer(1);
  for (const Axis& axis : parts) size = pool.Mul(std::array{size, axis.size});
  is_open = is_open || (size != ExprId::kNone && context.Size(range.stop) == size);
  if (start == 0 && is_open && step == 1) {
    context.KeepLines();
    return parts;
  }
  ExprId stop = is_open ? size : context.Size(range.stop);
  ExprId first = range.start == nullptr ? pool.Integer(0) : context.Size(range.start);
  if (size != ExprId::kNone && first != ExprId::kNone && first == pool.Negate(size)) {
    // x[-n:]: all of it.
    first = pool.Integer(0);
    start = 0;
    if (is_open && step == 1) return parts;
  }
  const bool is_from_end = !is_open && context.IntOr(range.stop, 0) < 0;
  const bool starts_from_end = context.IntOr(range.start, 0) < 0;
  const bool is_padded = state.IsPadded(dim);
  if (is_padded && !start && context.IsPaddedSize(range.start)) {
    context.Contaminate("it begins at a position of " + context.DimText(state, dim) +
                        " that moves with padding");
    return parts;
  }
  if (is_padded && starts_from_end) {
    context.Contaminate("it takes positions counted from the end of " +
                        context.DimText(state, dim) + ", which is padded");
    return parts;
  }
  if (is_padded && IsFoldedWithPadding(state, dim)) {
    context.Contaminate("it takes a part of " + context.DimText(state, dim) + ", which is folded");
    return parts;
  }
  // Sizes: a negative end counts from the size; constants are clamped to a constant size.
  if (is_from_end && size != ExprId::kNone) stop = pool.Add(std::array{size, stop});
  ExprId begin = first;
  if (starts_from_end && size != ExprId::kNone) begin = pool.Add(std::array{size, first});
  const bool is_constant = pool.kind(size) == ExprKind::kInteger;
  const auto clamped = [&](ExprId end) {
    if (!is_constant || pool.kind(end) != ExprKind::kInteger) return end;
    return pool.Integer(std::max<int64_t>(0, std::min(pool.value(end), pool.value(size))));
  };
  stop = clamped(stop);
  begin = clamped(begin);
  // The end of a range in a dim that grows: the padded program reaches it, as the real one did.
  ExprId length =
      stop == ExprId::kNone || begin == ExprId::kNone ? ExprId::kNone : pool.Subtract(stop, begin);
  if (step != 1 && length != ExprId::kNone) {
    length = pool.Binary(ExprKind::kCeilDiv, length, pool.Integer(step));
  }
  Axis axis = parts[0];
  axis.size = length;
  if (is_padded) {
    // A constant end selects the first positions, which are real. Other elements cut off at the end
    // are real in the padded tensor, where they were cut off in the unpadded one.
    axis.is_padded = is_open || is_from_end || context.IsPaddedSize(range.stop);
    axis.spoiled = SpoiledLeft(context, parts[0], axis, start == 0 && step == 1);
    if (!is_open) {
      axis.near = Join(axis.near, state.real);
      axis.all = Join(axis.all, state.real);
    }
  } else if (context.IsPaddedSize(range.stop)) {
    // Rows of a table up to the padded size, as of position embeddings: the first ones are the
    // same.
    if (!start || *start < 0 || parts.size() > 1 || !Grows(pool, stop, context.symbol())) {
      context.Unknown("a range that moves with padding could not be followed");
      return {axis};
    }
    if (state.IsPadded()) {
      context.Unknown("it cuts a square of the padded size out of numbers that are not printed");
      return {axis};
    }
    axis.is_padded = true;
    axis.near = axis.all = state.real.kind == Fill::Kind::kNumber ? state.real
                           : state.real.IsFinite()                ? Fill::Of(Fill::Kind::kFinite)
                                                                  : Fill::Of(Fill::Kind::kAny);
  } else if (parts.size() > 1 && length == ExprId::kNone) {
    axis.size = ExprId::kNone;
  }
  return {axis};
}

}  // namespace shapewise
