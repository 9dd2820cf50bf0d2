#include <algorithm>
#include <array>

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
  llvm::SmallVector<Axis, 2> parts;
  if (context.rule().code != 0) {  // narrow(input, dim, start, length)
    const Argument* length = context.Find(3, {"length"});
    range.stop = nullptr;
    parts = TakeRange(context, state, *dim, range);
    parts.resize(1);
    parts[0].size = context.Size(length);
    parts[0].near = Join(parts[0].near, state.real);
    parts[0].all = Join(parts[0].all, state.real);
    parts[0].is_padded = state.IsPadded(*dim) && context.IsPaddedSize(length);
  } else {
    parts = TakeRange(context, state, *dim, range);
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
      const GraphModel& graph = propagation.graph();
      Range range;
      const auto child = [&](uint32_t at) -> const Argument* {
        if (at >= entry->num_children) return nullptr;
        const Argument* found = &graph.arguments[entry->first_child + at];
        return is_none(found) ? nullptr : found;
      };
      range = {child(0), child(1), child(2)};
      result.AddDim(TakeRange(context, state, dim++, range));
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
      return context.Contaminate("padded positions of its operands do not line up",
                                 /*is_shown=*/false);
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

}  // namespace shapewise
