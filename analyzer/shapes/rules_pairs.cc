// Operators that combine elements of a dim, or rows of two tensors, in pairs.
#include <algorithm>
#include <array>

#include "shapes/broadcast.h"
#include "shapes/rules.h"

namespace shapewise {

void GluRule(NodeContext& context) {
  // glu(input, dim=-1): the first half of a dim times the sigmoid of the second.
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank || state.rank == 0) return;
  const auto dim = NormalizeDim(context.IntOr(context.Find(1, {"dim"}), -1), state.rank);
  if (!dim) return;
  if (state.IsPadded(*dim)) {
    context.Contaminate("glu halves " + context.DimText(state, *dim) + ", which is padded");
    return;
  }
  ExprPool& pool = context.pool();
  TensorState result;
  result.has_rank = true;
  for (size_t d = 0; d < state.rank; ++d) {
    if (d != *dim) {
      result.AddDim(state.Dim(d));
      continue;
    }
    const ExprId size = state.Size(d);
    result.AddDim(size == ExprId::kNone ? size
                                        : pool.Binary(ExprKind::kFloorDiv, size, pool.Integer(2)));
  }
  result.ChangeFills(
      [](const Fill& fill) { return fill.IsNumber(0) ? fill : Fill::FiniteIf(fill.IsFinite()); });
  context.Return(std::move(result));
}

void DiffRule(NodeContext& context) {
  // diff(input, n=1, dim=-1, prepend, append): each position takes its successor, so that the last
  // real one of the result ends before padding. What is prepended only moves the positions.
  const TensorState state = context.Operand(0, {"input", "self"});
  const auto times = context.Find(1, {"n"}) == nullptr ? std::optional<int64_t>(1)
                                                       : context.Int(context.Find(1, {"n"}));
  const Argument* before = context.Find(3, {"prepend"});
  if (!state.has_rank || state.rank == 0 || !times || *times < 0) return;
  if (context.Find(4, {"append"}) != nullptr) return;
  const auto dim = NormalizeDim(context.IntOr(context.Find(2, {"dim"}), -1), state.rank);
  if (!dim) return;
  if (state.IsPadded(*dim) && state.Single(*dim) == nullptr) {
    context.Contaminate("neighbours in " + context.DimText(state, *dim) +
                        ", which is folded, change with padding");
    return;
  }
  ExprPool& pool = context.pool();
  const TensorState first = before == nullptr ? TensorState() : context.State(before);
  ExprId added = pool.Integer(0);
  if (before != nullptr) {
    if (!first.has_rank || first.rank != state.rank || first.IsPadded(*dim)) return;
    for (size_t d = 0; d < state.rank; ++d) {
      if (d != *dim && first.IsPadded(d) != state.IsPadded(d)) return;
    }
    added = first.Size(*dim);
  }
  TensorState result;
  result.has_rank = true;
  for (size_t d = 0; d < state.rank; ++d) {
    if (d != *dim) {
      result.AddDim(state.Dim(d));
      continue;
    }
    const Axis* single = state.Single(d);
    Axis axis = single == nullptr ? Axis::Plain(ExprId::kNone) : *single;
    if (added == ExprId::kNone) axis.size = added;
    if (axis.size != ExprId::kNone) {
      axis.size = pool.Add(std::array{axis.size, added, pool.Integer(-*times)});
    }
    result.AddDim(axis);
  }
  const bool is_finite =
      state.IsFiniteEverywhere() && (before == nullptr || first.IsFiniteEverywhere());
  result.ChangeFills([&](const Fill&) { return Fill::FiniteIf(is_finite); });
  context.Return(std::move(result));
}

void PairDistanceRule(NodeContext& context) {
  // cdist(x1, x2): distances of each row of x1 to each row of x2.
  const TensorState left = context.Operand(0, {"x1"});
  const TensorState right = context.Operand(1, {"x2"});
  if (!left.has_rank || !right.has_rank || left.rank < 2 || right.rank < 2) return;
  for (const TensorState* state : {&left, &right}) {
    if (!state->IsPadded(state->rank - 1u)) continue;
    context.Contaminate(std::string(context.name().base) + " sums over " +
                        context.DimText(*state, state->rank - 1u) + ", which is padded");
    return;
  }
  const size_t batch = std::max(left.rank, right.rank) - 2u;
  const llvm::SmallVector<const TensorState*, 2> operands = {&left, &right};
  TensorState result;
  result.has_rank = true;
  for (size_t dim = 0; dim < batch; ++dim) {
    const auto dim_of = [&](const TensorState& state) {
      const size_t missing = batch + 2 - state.rank;
      return dim < missing ? llvm::ArrayRef<Axis>() : state.Dim(dim - missing);
    };
    if (!LineUp(context, operands, {dim_of(left), dim_of(right)}, Pointwise::kTest, result)) return;
  }
  result.AddDim(left.Dim(left.rank - 2u));
  result.AddDim(right.Dim(right.rank - 2u));
  result.real = {Fill::Kind::kNonNegative, true, 0};
  const bool is_finite = left.IsFiniteEverywhere() && right.IsFiniteEverywhere();
  result.ChangeFills([&](const Fill&) {
    return Fill::Of(is_finite ? Fill::Kind::kNonNegative : Fill::Kind::kAny);
  });
  context.Return(std::move(result));
}

}  // namespace shapewise
