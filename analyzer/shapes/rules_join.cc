#include <algorithm>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

bool HasSinglePaddedAxes(const TensorState& state) {
  for (size_t dim = 0; dim < state.rank; ++dim) {
    if (state.IsPadded(dim) && state.Dim(dim).size() != 1) return false;
  }
  return true;
}

}  // namespace

void CatRule(NodeContext& context) {
  llvm::SmallVector<TensorState, 8> parts;
  for (const Argument* argument : context.Elements(context.Find(0, {"tensors"}))) {
    parts.push_back(context.State(argument));
    if (!parts.back().has_rank) return;
  }
  if (parts.empty()) return;
  const auto dim = context.DimOf(parts[0], 1, 0);
  if (!dim) return;
  TensorState result = TensorState::Scalar(parts[0].real);
  for (const TensorState& part : parts) {
    if (part.rank != parts[0].rank) return;
    result.real = Join(result.real, part.real);
  }
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    if (!parts[i].IsPadded(*dim)) continue;
    return context.Contaminate("cat puts other elements behind padding of " +
                               context.DimText(parts[i], *dim));
  }
  ExprPool& pool = context.pool();
  for (size_t d = 0; d < parts[0].rank; ++d) {
    if (d == *dim) {
      llvm::SmallVector<ExprId, 8> sizes;
      for (const TensorState& part : parts) sizes.push_back(context.WholeSize(part, d));
      const bool is_known = std::ranges::find(sizes, ExprId::kNone) == sizes.end();
      Axis axis = Axis::Plain(is_known ? pool.Add(sizes) : ExprId::kNone);
      const llvm::ArrayRef<Axis> last = parts.back().Dim(d);
      if (parts.back().IsPadded(d)) {
        if (last.size() != 1) {
          return context.Contaminate(
              "cat takes a folded dim, in which padding stands between real rows");
        }
        axis.is_padded = true;
        axis.near = last[0].near;
        axis.all = last[0].all;
      }
      result.AddDim(axis);
      continue;
    }
    llvm::SmallVector<Axis, 2> axes(parts[0].Dim(d).begin(), parts[0].Dim(d).end());
    for (const TensorState& part : parts) {
      const llvm::ArrayRef<Axis> other = part.Dim(d);
      if (other.size() != axes.size()) {
        if (part.IsPadded(d) || parts[0].IsPadded(d)) {
          return context.DoNotLineUp();
        }
        continue;
      }
      for (size_t i = 0; i < axes.size(); ++i) {
        axes[i].is_padded |= other[i].is_padded;
        axes[i].near = JoinPadding(axes[i].near, other[i].near);
        axes[i].all = JoinPadding(axes[i].all, other[i].all);
      }
    }
    result.AddDim(axes);
  }
  context.Return(std::move(result));
}

void StackRule(NodeContext& context) {
  llvm::SmallVector<TensorState, 8> parts;
  for (const Argument* argument : context.Elements(context.Find(0, {"tensors"}))) {
    parts.push_back(context.State(argument));
  }
  if (parts.empty()) return;
  const TensorState joined = Broadcast(context, Pointwise::kTest, parts);
  if (!joined.has_rank || context.has_failed()) return;
  const auto dim = NormalizeDim(context.IntOr(context.Find(1, {"dim"}), 0), joined.rank + 1u);
  if (!dim) return;
  TensorState result =
      joined.WithNewDim(*dim, context.pool().Integer(static_cast<int64_t>(parts.size())));
  result.real = parts[0].real;
  Fill anywhere = parts[0].Anywhere();
  for (const TensorState& part : parts) {
    result.real = Join(result.real, part.real);
    anywhere = JoinPadding(anywhere, part.Anywhere());
  }
  result.SetFills(anywhere);
  context.Return(std::move(result));
}

void BroadcastTensorsRule(NodeContext& context) {
  ArgumentList arguments = context.Elements(context.Find(0, {"tensors"}));
  for (size_t i = 1; i < context.num_positional(); ++i) {
    if (const Argument* argument = context.Find(i)) arguments.push_back(argument);
  }
  llvm::SmallVector<TensorState, 4> operands;
  for (const Argument* argument : arguments) operands.push_back(context.State(argument));
  llvm::SmallVector<TensorState, 2> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::swap(operands[0], operands[i]);
    results.push_back(Broadcast(context, Pointwise::kIdentity, operands));
    std::swap(operands[0], operands[i]);
    if (context.has_failed()) return;
  }
  if (!results.empty()) context.ReturnTuple(std::move(results));
}

void PadRule(NodeContext& context) {
  const TensorState state = context.Operand(0, {"input", "self"});
  const ArgumentList pads = context.Elements(context.Find(1, {"pad"}));
  if (!state.has_rank || pads.size() % 2 != 0 || pads.size() / 2 > state.rank) return;
  const bool is_plain = context.name().base == "constant_pad_nd";
  const Argument* mode = is_plain ? nullptr : context.Find(2, {"mode"});
  const bool is_constant = mode == nullptr || context.Text(mode) == "constant";
  const double value = context.Number(context.Find(is_plain ? 2 : 3, {"value"})).value_or(0);
  ExprPool& pool = context.pool();
  TensorState result = TensorState::Scalar(Join(state.real, Fill::Number(value)));
  for (size_t dim = 0; dim < state.rank; ++dim) {
    llvm::SmallVector<Axis, 2> parts(state.Dim(dim).begin(), state.Dim(dim).end());
    const size_t pair = state.rank - 1 - dim;
    if (pair * 2 < pads.size()) {
      const Argument* before = pads[pair * 2];
      const Argument* after = pads[pair * 2 + 1];
      const bool is_nothing = context.Int(before) == 0 && context.Int(after) == 0;
      if (!is_nothing && parts.size() != 1) {
        if (state.IsPadded(dim)) return context.Contaminate("it extends a folded dim");
        parts = {Axis::Plain(ExprId::kNone)};
      }
      if (!is_nothing && parts[0].is_padded) {
        const auto end = context.Int(after);
        const bool takes_more = !end || *end > 0;
        const bool fills_alike = parts[0].near.IsNumber(value) && is_constant;
        if (!context.Int(before) || (takes_more && !fills_alike) || !is_constant) {
          return context.Contaminate("it writes behind the real positions of " +
                                         context.DimText(state, dim) + ", where padding stands",
                                     !is_constant || parts[0].near.IsShown());
        }
        if (end && *end < 0) {
          parts[0].near = JoinPadding(parts[0].near, state.real);
          parts[0].all = JoinPadding(parts[0].all, state.real);
        }
      } else if (!is_nothing && (context.IsPaddedSize(before) || context.IsPaddedSize(after))) {
        return context.Contaminate("how much it adds changes with padding");
      }
      if (!is_nothing) {
        const ExprId first = context.Size(before);
        const ExprId last = context.Size(after);
        const bool is_known =
            parts[0].size != ExprId::kNone && first != ExprId::kNone && last != ExprId::kNone;
        parts[0].size = is_known ? pool.Add({parts[0].size, first, last}) : ExprId::kNone;
      }
    }
    result.AddDim(parts);
  }
  // The new elements are in the padded rows of other dims as well.
  for (Axis& axis : result.axes) {
    if (!axis.is_padded) continue;
    axis.near = JoinPadding(axis.near, Fill::Number(value));
    axis.all = JoinPadding(axis.all, Fill::Number(value));
  }
  context.Return(std::move(result));
}

void TriangleRule(NodeContext& context) {
  const bool is_upper = context.rule().code != 0;
  TensorState state = context.Operand(0, {"input", "self"});
  const auto diagonal = context.Int(context.Find(1, {"diagonal"}));
  const int64_t offset =
      context.Find(1, {"diagonal"}) == nullptr ? 0 : diagonal.value_or(INT64_MAX);
  if (!state.has_rank || state.rank < 2) return;
  const size_t row = state.rank - 2u;
  const size_t column = state.rank - 1u;
  if (!HasSinglePaddedAxes(state) || offset == INT64_MAX) {
    if (state.IsPadded())
      context.Contaminate("its diagonal moves with padding", /*is_shown=*/false);
    return context.Return(std::move(state));
  }
  const ExprId rows = state.Size(row);
  const ExprId columns = state.Size(column);
  const Fill zero = Fill::Number(0);
  for (Axis& axis : state.axes) {
    if (!axis.is_padded) continue;
    // If both dims have the real size, a padded column of a real row is above the diagonal, and a
    // padded row of a real column below it.
    const bool is_square = rows == columns && rows != ExprId::kNone;
    Fill near = JoinPadding(axis.near, zero);
    if (axis.dim == column && is_square) {
      if (is_upper && offset <= 1) near = axis.near;
      if (!is_upper && offset <= 0) near = zero;
    } else if (axis.dim == row && is_square) {
      if (is_upper && offset >= 0) near = zero;
      if (!is_upper && offset >= -1) near = axis.near;
    }
    axis.near = near;
    axis.all = JoinPadding(axis.all, zero);
  }
  const bool was_true = state.real.kind == Fill::Kind::kNumber && state.real.number != 0;
  state.real = Join(state.real, zero);
  // The first column of every row: above the upper triangle's diagonal, or in the lower one.
  if (is_upper && offset >= 1) state.real.lines = Fill::kSomeFalse | Fill::kSomeOrdinary;
  if (!is_upper && offset >= 0 && was_true) {
    state.real.lines = Fill::kSomeTrue | Fill::kFirstTrue;
  }
  context.KeepLines();
  context.Return(std::move(state));
}

void ScatterRule(NodeContext& context) {
  const auto kind = static_cast<Scatter>(context.rule().code);
  TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank) return;
  const auto adds_nothing = [](const TensorState& source, const Axis* axis) {
    return axis != nullptr && axis->is_padded && axis->near.IsNumber(0) && axis->all.IsNumber(0) &&
           source.has_rank;
  };
  TensorState source;
  if (kind == Scatter::kIndexPut) {
    source = context.Operand(2, {"values"});
    const bool accumulates = context.BoolOr(context.Find(3, {"accumulate"}), false);
    bool index_is_padded = false;
    for (const Argument* index : context.Elements(context.Find(1, {"indices"}))) {
      if (index->kind == Argument::Kind::kNone) continue;
      index_is_padded |= context.State(index).IsPadded();
    }
    if (index_is_padded) {
      bool is_zero = accumulates && source.IsPadded();
      for (const Axis& axis : source.axes) is_zero &= !axis.is_padded || axis.all.IsNumber(0);
      if (!is_zero) {
        return context.Contaminate("it writes values of padded positions into real ones",
                                   /*is_shown=*/false);
      }
    } else if (!HasSinglePaddedAxes(state) || !HasSinglePaddedAxes(source)) {
      return context.DoNotLineUp();
    }
  } else {
    const auto dim = context.DimOf(state, 1);
    if (!dim) return;
    const TensorState index = context.Operand(2, {"index"});
    source = context.Operand(3, {"src", "source", "value"});
    if (!index.has_rank) return;
    const bool is_rows = kind == Scatter::kIndexAdd || kind == Scatter::kIndexCopy;
    const size_t index_dim = is_rows ? 0 : *dim;
    const bool adds = kind == Scatter::kScatterAdd || kind == Scatter::kIndexAdd;
    if (index_dim < index.rank && index.IsPadded(index_dim)) {
      const Axis* axis = *dim < source.rank ? source.Single(*dim) : nullptr;
      if (*dim < source.rank && IsOfOtherSymbol(context, source.Dim(*dim))) {
        return RefuseOtherSymbol(context);
      }
      if (!adds || !adds_nothing(source, axis)) {
        return context.Contaminate(
            std::string(context.name().base) + " writes padded positions into real ones",
            /*is_shown=*/false);
      }
    }
    if (!HasSinglePaddedAxes(state) || !HasSinglePaddedAxes(index)) {
      return context.DoNotLineUp();
    }
    if (index.IsPadded()) context.Note("padded positions must hold valid indices");
  }
  const Fill written = JoinPadding(source.real, source.Anywhere());
  state.ChangeFills([&](const Fill& fill) { return JoinPadding(fill, written); });
  state.real = Fill::Real();
  context.Return(std::move(state));
}

}  // namespace shapewise
