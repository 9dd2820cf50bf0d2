// Writes into parts of a tensor.

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

// Whether an entry selects the same positions of a padded dim as in the unpadded program.
bool IsFixed(const NodeContext& context, const Argument* entry) {
  if (entry->kind == Argument::Kind::kInt) return entry->integer >= 0;
  if (entry->kind != Argument::Kind::kSlice) return false;
  const GraphModel& graph = context.propagation().graph();
  for (uint32_t i = 0; i < entry->num_children; ++i) {
    const Argument& bound = graph.arguments[entry->first_child + i];
    if (bound.kind == Argument::Kind::kNone) continue;
    if (context.Int(&bound).value_or(-1) < 0) return false;
  }
  return true;
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
  const llvm::SmallVector<TensorState, 3> operands = {state, std::move(mask), value};
  context.Return(Broadcast(context, Pointwise::kMaskedFill, operands));
}

}  // namespace

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
  if (part.has_failed() || part.results().size() != 1) return;
  // The written values must line up with the positions they are written to.
  const llvm::SmallVector<TensorState, 2> operands = {part.results()[0], value};
  const TensorState joined = Broadcast(context, Pointwise::kTest, operands);
  if (context.has_failed() || !joined.has_rank) return;
  const Fill anything = JoinPadding(value.real, value.Anywhere());
  state.ChangeFills([&](const Fill& fill) { return JoinPadding(fill, anything); });
  state.real = Join(state.real, value.real);
  context.Return(std::move(state));
}

}  // namespace shapewise
