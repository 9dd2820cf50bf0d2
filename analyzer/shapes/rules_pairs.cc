// Operators that combine elements of a dim, or rows of two tensors, in pairs.
#include <algorithm>
#include <array>

#include "shapes/broadcast.h"
#include "shapes/rules.h"

namespace shapewise {

void GluRule(NodeContext& context) {
  // glu(input, dim=-1): the first half of a dim times the sigmoid of the second.
  const TensorState state = context.Operand(0, {"input", "self"});
  const auto dim = context.DimOf(state, 1, -1);
  if (!dim || state.rank == 0 || context.ContaminatesPadded(state, *dim, "glu halves")) return;
  ExprPool& pool = context.pool();
  ExprId half = state.Size(*dim);
  if (half != ExprId::kNone) half = pool.Binary(ExprKind::kFloorDiv, half, pool.Integer(2));
  TensorState result = state.WithDim(*dim, Axis::Plain(half));
  result.real = Fill::Real();
  result.ChangeFills(FiniteOrZeroLike);
  context.Return(std::move(result));
}

void DiffRule(NodeContext& context) {
  // diff(input, n=1, dim=-1, prepend, append): each position takes its successor, so that the last
  // real one of the result ends before padding. What is prepended only moves the positions.
  const TensorState state = context.Operand(0, {"input", "self"});
  const auto times = context.Find(1, {"n"}) == nullptr ? std::optional<int64_t>(1)
                                                       : context.Int(context.Find(1, {"n"}));
  const Argument* before = context.Find(3, {"prepend"});
  const auto dim = context.DimOf(state, 2, -1);
  if (!dim || state.rank == 0 || !times || *times < 0) return;
  if (context.Find(4, {"append"}) != nullptr) return;
  if (state.IsPadded(*dim) && state.Single(*dim) == nullptr) {
    return context.Contaminate("neighbours in " + context.DimText(state, *dim) +
                               ", which is folded, change with padding");
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
  const Axis* single = state.Single(*dim);
  Axis axis = single == nullptr ? Axis::Plain(ExprId::kNone) : *single;
  if (added == ExprId::kNone) axis.size = added;
  if (axis.size != ExprId::kNone) {
    axis.size = pool.Add(std::array{axis.size, added, pool.Integer(-*times)});
  }
  TensorState result = state.WithDim(*dim, axis);
  result.real = Fill::Real();
  result.SetFills(Fill::FiniteIf(state.IsFiniteEverywhere() &&
                                 (before == nullptr || first.IsFiniteEverywhere())));
  context.Return(std::move(result));
}

void PairDistanceRule(NodeContext& context) {
  // cdist(x1, x2): distances of each row of x1 to each row of x2.
  const TensorState left = context.Operand(0, {"x1"});
  const TensorState right = context.Operand(1, {"x2"});
  if (!left.has_rank || !right.has_rank || left.rank < 2 || right.rank < 2) return;
  const std::string sums = std::string(context.name().base) + " sums over";
  if (context.ContaminatesPadded(left, left.rank - 1u, sums) ||
      context.ContaminatesPadded(right, right.rank - 1u, sums)) {
    return;
  }
  const size_t batch = std::max(left.rank, right.rank) - 2u;
  const llvm::SmallVector<const TensorState*, 2> operands = {&left, &right};
  TensorState result = TensorState::Scalar({Fill::Kind::kNonNegative, true, 0});
  for (size_t dim = 0; dim < batch; ++dim) {
    const auto dim_of = [&](const TensorState& state) {
      const size_t missing = batch + 2 - state.rank;
      return dim < missing ? llvm::ArrayRef<Axis>() : state.Dim(dim - missing);
    };
    if (!LineUp(context, operands, {dim_of(left), dim_of(right)}, Pointwise::kTest, result)) return;
  }
  result.AddDim(left.Dim(left.rank - 2u));
  result.AddDim(right.Dim(right.rank - 2u));
  const bool is_finite = left.IsFiniteEverywhere() && right.IsFiniteEverywhere();
  result.SetFills(Fill::Of(is_finite ? Fill::Kind::kNonNegative : Fill::Kind::kAny));
  context.Return(std::move(result));
}

}  // namespace shapewise
