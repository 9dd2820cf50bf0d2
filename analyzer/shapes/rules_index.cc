// Operators that read or write parts of a tensor by index.

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

constexpr const char* kValidIds = "padded positions must hold valid indices";

// The fill of elements selected at padded positions of `indices`; a bound if these are not
// arbitrary: counted positions, such as arange(n), select padding of `state` there.
Fill FoundWith(llvm::ArrayRef<TensorState> indices, const TensorState& state) {
  Fill found = JoinPadding(state.real, state.Anywhere());
  for (const TensorState& index : indices) {
    for (const Axis& axis : index.axes) {
      const bool is_computed = axis.all.is_bound || axis.all.kind == Fill::Kind::kIndex;
      found.is_bound |= axis.is_padded && is_computed && found.kind != Fill::Kind::kNumber;
    }
  }
  return found;
}

// One index of several: the dim of the tensor that it is for.
struct DimIndex {
  size_t dim;
  TensorState state;
};

// What is looked up with `indices` at the padded positions of their broadcast `positions`. Where
// one of them counts the positions of an axis of `state` it takes what stands there; elsewhere it
// may take anything.
void FillFound(NodeContext& context, const TensorState& state, llvm::ArrayRef<DimIndex> indices,
               TensorState& positions) {
  llvm::SmallVector<TensorState, 4> states;
  for (const DimIndex& index : indices) states.push_back(index.state);
  const Fill found = FoundWith(states, state);
  bool is_counted_only = true;
  bool keeps_lines = true;
  for (Axis& axis : positions.axes) {
    if (!axis.is_padded) continue;
    const DimIndex* only = nullptr;
    bool is_alone = true;
    for (const DimIndex& index : indices) {
      const size_t missing = positions.rank - index.state.rank;
      if (axis.dim < missing || !index.state.IsPadded(axis.dim - missing)) continue;
      is_alone &= only == nullptr;
      only = &index;
    }
    const Axis* source = only == nullptr ? nullptr : state.Single(only->dim);
    const bool is_counted = is_alone && source != nullptr && source->is_padded &&
                            source->size == axis.size && CountedDim(only->state).has_value();
    axis.near = is_counted ? source->near : found;
    axis.all = is_counted ? source->all : found;
    is_counted_only &= is_counted;
    const bool is_last = axis.dim + 1u == positions.rank || state.real.kind == Fill::Kind::kBelow;
    keeps_lines &= is_counted && is_last && only->dim + 1u == state.rank;
  }
  if (!is_counted_only) {
    context.Note(kValidIds);
    for (Axis& axis : positions.axes) {
      if (axis.is_padded) axis.all = found;
    }
  } else if (keeps_lines && positions.IsPadded()) {
    context.KeepLines();
  }
}

// Advanced indexing: `indices` has an entry a dim of `state`, null where a dim is taken whole.
void IndexWith(NodeContext& context, const TensorState& state,
               llvm::ArrayRef<const Argument*> indices) {
  if (!state.has_rank || indices.size() > state.rank) return;
  if (state.IsSpoiled()) {
    return context.Contaminate("it looks up positions of which the last real ones see padding",
                               /*is_shown=*/false);
  }
  llvm::SmallVector<TensorState, 4> states;
  llvm::SmallVector<DimIndex, 4> by_dim;
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    const Argument* index = indices[dim];
    if (index == nullptr) continue;
    if (context.IsOfType(index, "torch.bool")) {
      const TensorState mask = context.State(index);
      const bool is_apart = std::ranges::all_of(
          mask.axes, [](const Axis& axis) { return !axis.is_padded || axis.all.IsNumber(0); });
      if (!mask.has_rank || !is_apart) {
        context.Contaminate("a mask takes padded positions, if it is not False there",
                            mask.has_rank && mask.Anywhere().IsShown());
      } else if (states.empty() && mask.rank == state.rank) {
        TensorState result = TensorState::Scalar(state.real);
        result.AddDim(ExprId::kNone);
        context.Return(std::move(result));
      } else {
        context.Unknown("a mask combined with other indices could not be followed");
      }
      return;
    }
    states.push_back(context.State(index));
    by_dim.push_back({dim, states.back()});
  }
  if (states.empty()) return context.Return(state);
  TensorState positions = Broadcast(context, Pointwise::kTest, states);
  if (context.has_failed() || !positions.has_rank) return;
  FillFound(context, state, by_dim, positions);
  // One run of indices stays in its place; several runs go to the front.
  size_t first = 0;
  while (indices[first] == nullptr) ++first;
  size_t last = indices.size();
  while (indices[last - 1] == nullptr) --last;
  const bool is_one_run = std::ranges::none_of(
      indices.slice(first, last - first), [](const Argument* index) { return index == nullptr; });
  TensorState result = TensorState::Scalar(state.real);
  const auto add_positions = [&] {
    for (size_t dim = 0; dim < positions.rank; ++dim) result.AddDim(positions.Dim(dim));
  };
  if (!is_one_run) add_positions();
  for (size_t dim = 0; dim < state.rank; ++dim) {
    if (is_one_run && dim == first) add_positions();
    if (dim < indices.size() && indices[dim] != nullptr) continue;
    result.AddDim(state.Dim(dim));
  }
  context.Return(std::move(result));
}

// Larger than any size: PyTorch's way to write an open end.
constexpr int64_t kOpenEnd = std::numeric_limits<int64_t>::max() / 2;

bool IsFoldedWithPadding(const TensorState& state, size_t dim) {
  return std::ranges::any_of(state.Dim(dim).drop_front(), &Axis::is_padded);
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

// Whether an entry selects the same positions of a padded dim as in the unpadded program.
bool IsFixed(const NodeContext& context, const Argument* entry) {
  if (entry->kind == Argument::Kind::kInt) return entry->integer >= 0;
  if (entry->kind != Argument::Kind::kSlice) return false;
  return std::ranges::all_of(
      context.propagation().graph().ChildrenOf(*entry), [&](const Argument& bound) {
        return bound.kind == Argument::Kind::kNone || context.Int(&bound).value_or(-1) >= 0;
      });
}

// Whether all padded dims of `state` are indexed at fixed positions; reports to the context if not.
bool AreFixed(NodeContext& context, const TensorState& state, const ArgumentList& entries) {
  size_t used = 0;
  for (const Argument* entry : entries) used += context.IsEllipsis(entry) ? 0 : 1;
  if (used > state.rank) return false;
  size_t dim = 0;
  for (const Argument* entry : entries) {
    if (context.IsEllipsis(entry)) {
      dim += state.rank - used;
      continue;
    }
    if (entry->kind == Argument::Kind::kNone || context.IsTensor(entry)) {
      context.Unknown("a write at positions that are worked out is not followed");
      return false;
    }
    if (state.IsPadded(dim) && !IsFixed(context, entry)) {
      context.Unknown("which positions of " + context.DimText(state, dim) +
                      " it writes moves with padding");
      return false;
    }
    ++dim;
  }
  return true;
}

// x[mask] = number: masked_fill, where the mask may have fewer dims.
void WriteWhere(NodeContext& context, const TensorState& state, TensorState mask,
                const TensorState& value) {
  if (!mask.has_rank || mask.rank > state.rank || value.rank != 0) return;
  while (mask.rank < state.rank) mask.AddDim(context.pool().Integer(1));
  context.Return(Broadcast(context, Pointwise::kMaskedFill, {state, std::move(mask), value}));
}

// Whether one position of `dim` can be selected; reports to the context if it may contain padding.
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

// The bounds of a range as written; null: not given.
struct Range {
  const Argument* start = nullptr;
  const Argument* stop = nullptr;
  const Argument* step = nullptr;
};

// The axes of `dim` cut to `range`. Reports to the context if the result no longer begins with the
// real positions.
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
  const ExprId size = context.WholeSize(state, dim);
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
  if (is_from_end && size != ExprId::kNone) stop = pool.Add({size, stop});
  ExprId begin = first;
  if (starts_from_end && size != ExprId::kNone) begin = pool.Add({size, first});
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

}  // namespace

void SelectRule(NodeContext& context) {
  const TensorState state = context.Operand(0, {"input", "self"});
  const auto dim = context.DimOf(state, 1);
  if (!dim || !TakePosition(context, state, *dim, context.Find(2, {"index"}))) return;
  context.Return(state.WithoutDim(*dim));
}

void SliceRule(NodeContext& context) {
  const TensorState state = context.Operand(0, {"input", "self"});
  const auto dim = context.DimOf(state, 1, 0);
  if (!dim) return;
  Range range{context.Find(2, {"start"}), context.Find(3, {"end"}), context.Find(4, {"step"})};
  const bool is_narrow = context.rule().code != 0;  // narrow(input, dim, start, length)
  const Argument* length = context.Find(3, {"length"});
  if (is_narrow) range.stop = nullptr;
  llvm::SmallVector<Axis, 2> parts = TakeRange(context, state, *dim, range);
  if (is_narrow) {
    parts.resize(1);
    parts[0].size = context.Size(length);
    parts[0].near = Join(parts[0].near, state.real);
    parts[0].all = Join(parts[0].all, state.real);
    parts[0].is_padded = state.IsPadded(*dim) && context.IsPaddedSize(length);
  }
  if (!context.has_failed()) context.Return(state.WithDim(*dim, parts));
}

void GetItemRule(NodeContext& context) {
  const Argument* container = context.Find(0);
  const Argument* index = context.Find(1);
  const uint32_t value = context.ValueOf(container);
  if (value == kNoIndex) return;
  Propagation& propagation = context.propagation();
  const auto kind = propagation.SlotOf(value).kind;
  if (index == nullptr) {  // x[None]
    const TensorState whole = context.State(container);
    if (context.num_positional() < 2 || !whole.has_rank) return;
    return context.Return(whole.WithNewDim(0, context.pool().Integer(1)));
  }
  if (kind == Propagation::Slot::Kind::kTuple) {
    const auto at = context.Int(index);
    const auto count = static_cast<int64_t>(propagation.SlotOf(value).count);
    if (!at) return;
    if (count == 0) return TakePart(context, value, *at);
    const Propagation::Slot* element =
        propagation.ElementOf(value, static_cast<size_t>(*at < 0 ? *at + count : *at));
    if (element == nullptr) return;
    if (element->quality != Quality::kRight) {
      return context.Inherit(element->quality, element->cause);
    }
    return context.Return(propagation.StateOf(*element));
  }
  const TensorState state = context.State(container);
  const ArgumentList entries = context.IndexEntries(index);
  if (!state.has_rank || kind == Propagation::Slot::Kind::kNumber) return;
  const auto is_none = [](const Argument* entry) { return entry->kind == Argument::Kind::kNone; };
  size_t used = 0;
  for (const Argument* entry : entries) used += is_none(entry) || context.IsEllipsis(entry) ? 0 : 1;
  if (used > state.rank) return;
  TensorState result = TensorState::Scalar(state.real);
  llvm::SmallVector<const Argument*, 6> advanced;
  bool has_advanced = false;
  size_t dim = 0;
  for (const Argument* entry : entries) {
    if (is_none(entry)) {
      result.AddDim(context.pool().Integer(1));
      advanced.push_back(nullptr);
    } else if (context.IsEllipsis(entry)) {
      const size_t skipped = state.rank - used;
      for (size_t i = 0; i < skipped; ++i) {
        result.AddDim(state.Dim(dim++));
        advanced.push_back(nullptr);
      }
    } else if (entry->kind == Argument::Kind::kSlice) {
      const std::span<const Argument> bounds = propagation.graph().ChildrenOf(*entry);
      const auto bound = [&](size_t at) {
        return at >= bounds.size() || is_none(&bounds[at]) ? nullptr : &bounds[at];
      };
      result.AddDim(TakeRange(context, state, dim++, {bound(0), bound(1), bound(2)}));
      advanced.push_back(nullptr);
    } else if (context.IsTensor(entry)) {
      result.AddDim(state.Dim(dim++));
      advanced.push_back(entry);
      has_advanced = true;
    } else if (entry->kind == Argument::Kind::kInt || entry->kind == Argument::Kind::kValue ||
               entry->kind == Argument::Kind::kText) {
      if (!TakePosition(context, state, dim++, entry)) return;
    } else {
      return context.Unknown("an index could not be followed");
    }
    if (context.has_failed()) return;
  }
  for (; dim < state.rank; ++dim) result.AddDim(state.Dim(dim));
  size_t num_padded = 0;
  for (size_t d = 0; d < result.rank; ++d) num_padded += result.IsPadded(d) ? 1 : 0;
  if (num_padded > 1 && !state.IsPadded()) {
    return context.Unknown(
        "it cuts a square of the padded size out of numbers that are not printed");
  }
  if (has_advanced) {
    IndexWith(context, result, advanced);
  } else {
    context.Return(std::move(result));
  }
}

void LookupRule(NodeContext& context) {
  const auto kind = static_cast<Lookup>(context.rule().code);
  if (kind == Lookup::kIndex) {
    const TensorState state = context.Operand(0, {"input", "self"});
    llvm::SmallVector<const Argument*, 6> indices;
    for (const Argument* index : context.Elements(context.Find(1, {"indices"}))) {
      indices.push_back(index->kind == Argument::Kind::kNone ? nullptr : index);
    }
    return IndexWith(context, state, indices);
  }
  if (kind == Lookup::kEmbedding) {
    // embedding(weight, indices), but torch.nn.functional.embedding(indices, weight).
    const bool is_swapped = context.name().is_functional;
    const TensorState weight = context.Operand(is_swapped ? 1 : 0, {"weight"});
    TensorState indices = context.Operand(is_swapped ? 0 : 1, {"input", "indices"});
    if (!weight.has_rank || weight.rank != 2 || !indices.has_rank) return;
    indices.real = Fill::Real();
    indices.SetFills(FoundWith({indices}, weight));
    if (indices.IsPadded()) context.Note(kValidIds);
    indices.AddDim(weight.Dim(1));
    return context.Return(std::move(indices));
  }
  const TensorState state = context.Operand(0, {"input", "self"});
  const TensorState index = context.Operand(2, {"index"});
  const auto dim = context.DimOf(state, 1);
  if (!dim || !index.has_rank) return;
  const Fill found = FoundWith({index}, state);
  TensorState result =
      TensorState::Scalar(state.real.kind == Fill::Kind::kNumber ? state.real : Fill::Real());
  if (index.IsPadded()) context.Note(kValidIds);
  for (size_t d = 0; d < state.rank; ++d) {
    if (kind == Lookup::kIndexSelect && d != *dim) {
      result.AddDim(state.Dim(d));
      continue;
    }
    const size_t index_dim = kind == Lookup::kIndexSelect ? 0 : d;
    if (index_dim >= index.rank) return;
    llvm::SmallVector<Axis, 2> parts(index.Dim(index_dim).begin(), index.Dim(index_dim).end());
    const bool has_same_parts = parts.size() == state.Dim(d).size();
    if (d != *dim && !has_same_parts && state.IsPadded(d)) {
      return context.DoNotLineUp();
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].is_padded) continue;
      const bool is_along = d != *dim && has_same_parts && state.Dim(d)[i].is_padded;
      parts[i].near = is_along ? Join(state.Dim(d)[i].near, state.Dim(d)[i].all) : found;
      parts[i].all = found;
    }
    result.AddDim(parts);
  }
  context.Return(std::move(result));
}

void NonzeroRule(NodeContext& context) {
  // nonzero(mask), masked_select(input, mask): positions in the order of the tensor.
  const bool is_select = context.name().base == "masked_select";
  const TensorState state = context.Operand(0, {"input", "self"});
  const TensorState mask = is_select ? context.Operand(1, {"mask"}) : state;
  if (!mask.has_rank) return;
  for (const Axis& axis : mask.axes) {
    if (axis.is_padded && !axis.all.IsNumber(0)) {
      return context.Contaminate("it finds padded positions as well, without 0 or False there",
                                 axis.all.IsShown());
    }
  }
  for (size_t dim = 0; is_select && dim < mask.rank && mask.rank == state.rank; ++dim) {
    const bool is_apart = (state.IsPadded(dim) && IsOfOtherSymbol(context, mask.Dim(dim))) ||
                          (mask.IsPadded(dim) && IsOfOtherSymbol(context, state.Dim(dim)));
    if (!is_apart) continue;
    return RefuseOtherSymbol(context);
  }
  if (is_select && state.IsPadded() && !mask.IsPadded()) {
    return context.Contaminate("it takes padded positions as well");
  }
  TensorState result;
  result.AddDim(ExprId::kNone);
  if (!is_select) result.AddDim(context.pool().Integer(state.rank));
  context.Return(std::move(result));
}

void UnfoldRule(NodeContext& context) {
  // Tensor.unfold(dim, size, step): windows that begin at real positions and end before padding.
  const TensorState state = context.Operand(0, {"input", "self"});
  const auto dim = context.DimOf(state, 1);
  const auto size = context.Int(context.Find(2, {"size"}));
  const auto step = context.Int(context.Find(3, {"step"}));
  const Axis* single = dim ? state.Single(*dim) : nullptr;
  if (single == nullptr || !size || !step || *step <= 0) return;
  ExprPool& pool = context.pool();
  Axis axis = *single;
  const ExprId room = pool.Subtract(axis.size, pool.Integer(*size));
  axis.size = pool.Add(
      std::array{pool.Binary(ExprKind::kFloorDiv, room, pool.Integer(*step)), pool.Integer(1)});
  axis.near = Join(axis.near, state.real);
  axis.all = Join(axis.all, state.real);
  TensorState result = state.WithDim(*dim, axis);
  result.AddDim(pool.Integer(*size));
  context.Return(std::move(result));
}

void SetItemRule(NodeContext& context) {
  // setitem(x, index, value), as x[index] = value.
  const Argument* index = context.Find(1);
  const Argument* written = context.Find(2);
  TensorState state = context.Operand(0);
  if (!state.has_rank || index == nullptr || written == nullptr) return;
  if (context.IsPaddedSize(written)) {
    return context.Contaminate("it writes a size as a number, which padding changes");
  }
  const TensorState value = context.State(written);
  if (!value.has_rank) return;
  const ArgumentList entries = context.IndexEntries(index);
  if (entries.size() == 1 && context.IsTensor(entries[0]) &&
      context.IsOfType(entries[0], "torch.bool")) {
    return WriteWhere(context, state, context.State(entries[0]), value);
  }
  if (!AreFixed(context, state, entries)) return;
  const OperatorRule* getitem = FindOperator("getitem");
  NodeContext part(context.propagation(), context.node(), *getitem, context.name());
  getitem->apply(part);
  if (part.has_failed() || part.result().states.size() != 1) return;
  // The written values must line up with the positions they are written to.
  const TensorState joined = Broadcast(context, Pointwise::kTest, {part.result().states[0], value});
  if (context.has_failed() || !joined.has_rank) return;
  const Fill anything = JoinPadding(value.real, value.Anywhere());
  state.ChangeFills([&](const Fill& fill) { return JoinPadding(fill, anything); });
  state.real = Join(state.real, value.real);
  context.Return(std::move(state));
}

}  // namespace shapewise
