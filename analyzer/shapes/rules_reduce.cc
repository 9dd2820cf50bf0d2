// Operators that combine elements of a dim, or rows of two tensors, in pairs.
// Discrete Fourier transforms.

#include <algorithm>
#include <limits>

#include "shapes/broadcast.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

std::string MixesText(NodeContext& context, const TensorState& state, size_t dim,
                      std::string_view needs) {
  std::string text = std::string(context.name().base) + " over " + context.DimText(state, dim) +
                     ", which is padded";
  if (!needs.empty()) text += ", without " + std::string(needs) + " at padded positions";
  return text;
}

// The result of a reduction of `dims`, in order, with or without a dim of size 1 in their place.
TensorState WithoutDims(NodeContext& context, const TensorState& state, llvm::ArrayRef<size_t> dims,
                        bool keeps_dims, Reduction reduction) {
  TensorState result = TensorState::Scalar(Reduce(reduction, state.real));
  bool takes_padding = false;
  for (const size_t dim : dims) takes_padding |= state.IsPadded(dim);
  for (size_t dim = 0; dim < state.rank; ++dim) {
    if (std::ranges::find(dims, dim) != dims.end()) {
      if (keeps_dims) result.AddDim(context.pool().Integer(1));
      continue;
    }
    result.AddDim(state.Dim(dim));
  }
  for (Axis& axis : result.axes) {
    if (!axis.is_padded) continue;
    axis.near = Reduce(reduction, takes_padding ? axis.all : axis.near);
    axis.all = Reduce(reduction, axis.all);
  }
  return result;
}

// Whether a fully masked row spreads over padded positions as well: numbers such as -1e9 are low
// compared with others, but not with each other. The result is then unknown.
bool SpreadsOverMasked(NodeContext& context, const TensorState& state, size_t dim,
                       const Fill& fill) {
  const bool is_lowest = fill.IsNumber(-std::numeric_limits<double>::infinity());
  // `lines` describes the last dim only.
  const bool may_be_low =
      dim + 1 == state.rank ? state.real.MayBeLowEverywhere() : state.real.has_low;
  if (is_lowest || !may_be_low) return false;
  context.UnknownForSome(
      MixesText(context, state, dim, {}) +
      ": right if every real row has a position that is not masked, which is not known");
  return true;
}

// Whether padding along `dims` leaves the reduction correct; reports to the context if not.
bool SurvivesPadding(NodeContext& context, const TensorState& state, llvm::ArrayRef<size_t> dims,
                     Reduction reduction) {
  size_t padded = 0;
  size_t first_padded = 0;
  for (const size_t dim : dims) {
    for (const Axis& axis : state.Dim(dim)) {
      if (!axis.is_padded) continue;
      if (padded++ == 0) first_padded = dim;
    }
  }
  if (padded == 0) return true;
  const char* neutral = NeutralText(reduction);
  if (reduction == Reduction::kMean) {
    context.Contaminate(MixesText(context, state, first_padded, {}) +
                        ": it divides by the padded size");
    return false;
  }
  for (const size_t dim : dims) {
    bool is_first = dim == dims.front();
    for (const Axis& axis : state.Dim(dim)) {
      if (axis.is_padded) {
        const Fill& fill = padded == 1 ? axis.near : axis.all;
        if (!IsNeutral(reduction, fill, state.real)) {
          context.Contaminate(MixesText(context, state, dim, neutral == nullptr ? "" : neutral),
                              neutral == nullptr || fill.IsShown());
          return false;
        }
        // A maximum may also select the larger of two low numbers.
        const bool weighs_low =
            reduction == Reduction::kLogSumExp ||
            ((reduction == Reduction::kMax || reduction == Reduction::kArgMax) &&
             fill.kind == Fill::Kind::kVeryLow);
        if (weighs_low && SpreadsOverMasked(context, state, dim, fill)) return false;
        const bool gives_position =
            reduction == Reduction::kArgMax || reduction == Reduction::kArgMin;
        if (gives_position && !is_first) {
          context.Contaminate("positions in " + context.DimText(state, dim) +
                              ", which is folded, change with padding");
          return false;
        }
      }
      is_first = false;
    }
  }
  return true;
}

}  // namespace

void ReduceRule(NodeContext& context) {
  auto reduction = static_cast<Reduction>(context.rule().code);
  const Argument* second = context.Find(1);
  const bool has_two = reduction == Reduction::kMax || reduction == Reduction::kMin;
  if (has_two && second != nullptr && context.IsTensor(second)) {
    const OperatorRule* elementwise =
        FindOperator(reduction == Reduction::kMax ? "maximum" : "minimum");
    NodeContext other(context.propagation(), context.node(), *elementwise, context.name());
    elementwise->apply(other);
    context.result() = std::move(other.result());
    return;
  }
  const bool is_norm = reduction == Reduction::kNorm;
  const bool is_variance = reduction == Reduction::kVariance;
  const TensorState state = context.Operand(0, {"input", "self", "inp"});
  const Argument* dim = context.Find(is_norm ? 2 : 1, {"dim", "axis", "dims"});
  const bool is_of_all = dim == nullptr;
  const Argument* keep = context.Find(is_norm || is_variance ? 3 : 2, {"keepdim", "keepdims"});
  TensorState failed;
  failed.real = Reduce(reduction, state.real);
  if (!state.has_rank) return context.Return(std::move(failed));
  const auto dims = context.Dims(dim, state.rank);
  if (!dims || !SurvivesPadding(context, state, *dims, reduction)) {
    if (!context.has_failed()) context.Return(std::move(failed));
    return;
  }
  TensorState result = WithoutDims(context, state, *dims, context.BoolOr(keep, false), reduction);
  const bool is_pair = (context.rule().flags & kPair) != 0 && !is_of_all;
  if (!is_pair) return context.Return(std::move(result));
  TensorState indices = result;
  indices.real = Fill::Real();
  indices.SetFills(Fill::Of(Fill::Kind::kNonNegative));
  for (const size_t reduced : *dims) {
    if (state.IsPadded(reduced) && state.Dim(reduced).size() > 1) {
      indices.quality = Quality::kContaminated;
      indices.why = "positions in a folded dim change with padding";
    }
  }
  context.ReturnTuple({std::move(result), std::move(indices)});
}

void VarianceMeanRule(NodeContext& context) {
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank) return;
  const auto dims = context.Dims(context.Find(1, {"dim"}), state.rank);
  if (!dims || !SurvivesPadding(context, state, *dims, Reduction::kVariance)) return;
  const bool keeps = context.BoolOr(context.Find(3, {"keepdim"}), false);
  context.ReturnTuple({WithoutDims(context, state, *dims, keeps, Reduction::kVariance),
                       WithoutDims(context, state, *dims, keeps, Reduction::kMean)});
}

void SoftmaxRule(NodeContext& context) {
  const auto kind = static_cast<Softmax>(context.rule().code);
  const TensorState operand = context.Operand(0, {"input", "self"});
  TensorState state = operand;
  state.real = Fill::Of(kind == Softmax::kLog ? Fill::Kind::kFinite : Fill::Kind::kNonNegative);
  state.real.is_real = true;
  const std::optional<size_t> dim = context.DimOf(state, 1);
  if (!dim) {
    if (state.IsPadded()) context.Unknown("its dim is not known");
    return context.Return(std::move(state));
  }
  // A fully masked row has no finite result.
  bool has_masked_rows = false;
  for (const Axis& axis : state.axes) {
    if (axis.dim != dim && axis.is_padded) has_masked_rows |= !axis.all.IsFinite();
  }
  const Fill::Kind row = kind == Softmax::kLog ? Fill::Kind::kFinite : Fill::Kind::kNonNegative;
  for (Axis& axis : state.axes) {
    if (!axis.is_padded) continue;
    if (axis.dim != dim) {
      const bool is_finite = kind == Softmax::kSafe || axis.all.IsFinite();
      axis.near = axis.all = Fill::Of(is_finite ? row : Fill::Kind::kAny);
      continue;
    }
    if (!axis.near.IsVeryLow()) {
      return context.Contaminate(MixesText(context, state, *dim, "a mask of -inf"),
                                 axis.near.IsShown());
    }
    if (SpreadsOverMasked(context, operand, *dim, axis.near)) return;
    const bool is_masked = axis.all.IsVeryLow() && (kind == Softmax::kSafe || !has_masked_rows);
    if (kind == Softmax::kLog) {
      axis.near = Fill::Of(Fill::Kind::kVeryLow);
      axis.all = Fill::Of(is_masked ? Fill::Kind::kVeryLow : Fill::Kind::kAny);
    } else {
      axis.near = Fill::Number(0);
      const bool is_finite = kind == Softmax::kSafe || !has_masked_rows;
      axis.all = is_masked ? Fill::Number(0)
                           : Fill::Of(is_finite ? Fill::Kind::kNonNegative : Fill::Kind::kAny);
    }
  }
  context.Return(std::move(state));
}

void ScanRule(NodeContext& context) {
  TensorState state = context.Operand(0, {"input", "self"});
  const std::optional<int64_t> argument = context.Int(context.Find(1, {"dim", "axis"}));
  const bool keeps_zero = context.rule().code != 0;
  state.real = Fill::Real();
  if (!state.has_rank || !argument) {
    if (state.IsPadded()) context.Unknown("its dim is not known");
    return context.Return(std::move(state));
  }
  const std::optional<size_t> dim = NormalizeDim(*argument, state.rank);
  if (!dim) return;
  bool is_first = true;
  for (Axis& axis : state.Dim(*dim)) {
    if (axis.is_padded && !is_first) {
      return context.Contaminate("it runs along " + context.DimText(state, *dim) +
                                 ", where padding stands between real positions");
    }
    is_first = false;
  }
  for (Axis& axis : state.axes) {
    if (!axis.is_padded) continue;
    const bool is_zero = keeps_zero && axis.dim != dim;
    const auto scan = [&](const Fill& fill) {
      if (is_zero && fill.IsNumber(0)) return fill;
      Fill result = FiniteLike(fill);
      // Padding of 0, say, goes on with what the real positions gave.
      result.is_bound = fill.kind == Fill::Kind::kNumber;
      return result;
    };
    axis.near = scan(axis.near);
    axis.all = scan(axis.all);
  }
  if ((context.rule().flags & kPair) != 0) {
    TensorState indices = state;
    return context.ReturnTuple({std::move(state), std::move(indices)});
  }
  context.Return(std::move(state));
}

void OrderRule(NodeContext& context) {
  const auto kind = static_cast<Order>(context.rule().code);
  TensorState state = context.Operand(0, {"input", "self"});
  size_t dim_position = 1;
  if (kind == Order::kTopK || kind == Order::kKthValue) dim_position = 2;
  // aten.sort.stable has the dim as a keyword; otherwise it is the last.
  const std::optional<size_t> dim = context.DimOf(state, dim_position, -1);
  if (!dim) return;
  if (kind == Order::kMedian || kind == Order::kKthValue) {
    const bool is_of_all = kind == Order::kMedian && context.Find(1, {"dim"}) == nullptr;
    llvm::SmallVector<size_t, 6> dims;
    for (size_t d = 0; d < state.rank; ++d) {
      if (is_of_all || d == *dim) dims.push_back(d);
    }
    if (!SurvivesPadding(context, state, dims, Reduction::kMedian)) return;
    const bool keeps = context.BoolOr(context.Find(dim_position + 1, {"keepdim"}), false);
    TensorState result = WithoutDims(context, state, dims, keeps, Reduction::kMedian);
    if (is_of_all) {
      context.Return(std::move(result));
    } else {
      TensorState indices = result;
      context.ReturnTuple({std::move(result), std::move(indices)});
    }
    return;
  }
  const bool largest = kind == Order::kTopK
                           ? context.BoolOr(context.Find(3, {"largest"}), true)
                           : context.BoolOr(context.Find(2, {"descending"}), false);
  for (Axis& axis : state.Dim(*dim)) {
    if (!axis.is_padded) continue;
    const Reduction like = largest ? Reduction::kMax : Reduction::kMin;
    const bool is_last =
        axis.near.IsVeryLow() || (!largest && IsNeutral(Reduction::kMin, axis.near, state.real));
    if (!IsNeutral(like, axis.near, state.real) || !is_last || state.Dim(*dim).size() != 1) {
      return context.Contaminate(MixesText(context, state, *dim, largest ? "-inf" : "inf"),
                                 axis.near.IsShown());
    }
    const bool weighs_low = largest && axis.near.kind == Fill::Kind::kVeryLow;
    if (weighs_low && SpreadsOverMasked(context, state, *dim, axis.near)) return;
  }
  TensorState values = state;
  values.real = Fill::Real();
  if (kind == Order::kTopK) {
    const Argument* count = context.Find(1, {"k"});
    if (context.IsPaddedSize(count)) {
      return context.Contaminate("it takes a number of elements that grows with padding");
    }
    if (state.rank > 0) values = values.WithDim(*dim, Axis::Plain(context.Size(count)));
  }
  TensorState indices = values;
  indices.SetFills(Fill::Of(Fill::Kind::kNonNegative));
  if (kind == Order::kArgSort) return context.Return(std::move(indices));
  context.ReturnTuple({std::move(values), std::move(indices)});
}

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
    axis.size = pool.Add({axis.size, added, pool.Integer(-*times)});
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

// fft_fft(self, n, dim, norm), fft_fft2 and fft_fftn (self, s, dim, norm), and their like for real
// numbers: every number of the result depends on all positions of a dim, and on how many there are.
void FourierRule(NodeContext& context) {
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank || state.rank == 0) return;
  const std::string_view name = context.name().base;
  const bool is_of_all = name.ends_with("n");
  const bool is_of_two = name.ends_with("2");
  const Argument* given = context.Find(2, {"dim"});
  llvm::SmallVector<size_t, 6> dims;
  if (given != nullptr || is_of_all) {
    const auto found = context.Dims(given, state.rank);
    if (!found) return;
    dims = *found;
  } else {
    for (size_t i = is_of_two ? 2 : 1; i > 0; --i) {
      if (i <= state.rank) dims.push_back(state.rank - i);
    }
  }
  const bool has_sizes = context.Find(1, {"n", "s"}) != nullptr;
  const bool is_of_reals = name.find("_rfft") != name.npos || name.find("_irfft") != name.npos ||
                           name.find("_hfft") != name.npos || name.find("_ihfft") != name.npos;
  TensorState result = state;
  result.real = Fill::Real();
  for (const size_t dim : dims) {
    if (state.IsPadded(dim)) {
      return context.Contaminate(
          "it transforms " + context.DimText(state, dim) + ", which is padded",
          /*is_shown=*/!has_sizes);
    }
    if (!has_sizes && !is_of_reals) continue;
    for (Axis& axis : result.Dim(dim)) axis.size = ExprId::kNone;
  }
  result.ChangeFills(FiniteLike);
  context.Return(std::move(result));
}

}  // namespace shapewise
