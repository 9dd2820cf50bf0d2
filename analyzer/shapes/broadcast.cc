#include "shapes/broadcast.h"

#include <algorithm>

namespace shapewise {
namespace {

bool IsPadded(llvm::ArrayRef<Axis> parts) { return std::ranges::any_of(parts, &Axis::is_padded); }

// The same number everywhere: it can be broadcast with anything.
bool IsUniform(const TensorState& state) {
  return state.real.kind == Fill::Kind::kNumber &&
         std::ranges::all_of(state.axes, [&](const Axis& axis) {
           return !axis.is_padded || (axis.near == state.real && axis.all == state.real);
         });
}

bool SameLayout(llvm::ArrayRef<Axis> a, llvm::ArrayRef<Axis> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_padded != b[i].is_padded) return false;
    if (a.size() > 1 && a[i].is_padded && a[i].size != b[i].size) return false;
  }
  return true;
}

// Whether position 0 of every line is True: 0 is not above any position.
bool IsFirstTrue(Pointwise function, llvm::ArrayRef<TensorState> operands) {
  const bool is_up = function == Pointwise::kLessEqual;
  if ((!is_up && function != Pointwise::kGreaterEqual) || operands.size() != 2) return false;
  const TensorState& counted = operands[is_up ? 0 : 1];
  const TensorState& other = operands[is_up ? 1 : 0];
  const auto dim = CountedDim(counted);
  return dim && *dim + 1u == counted.rank && counted.rank >= other.rank &&
         other.real.kind == Fill::Kind::kBelow;
}

}  // namespace

bool IsOfOtherSymbol(const NodeContext& context, llvm::ArrayRef<Axis> parts) {
  return !IsPadded(parts) && std::ranges::any_of(parts, [&](const Axis& axis) {
    return axis.size != ExprId::kNone && !context.pool().SymbolsOf(axis.size).empty();
  });
}

void RefuseOtherSymbol(NodeContext& context) {
  context.Unknown("sizes that must be equal have different symbols: " + context.SymbolText() +
                  " is padded, the other is not");
}

bool LineUp(NodeContext& context, llvm::ArrayRef<const TensorState*> operands,
            llvm::ArrayRef<llvm::ArrayRef<Axis>> dims, Pointwise function, TensorState& result) {
  const ExprId one = context.pool().Integer(1);
  const auto is_one = [&](llvm::ArrayRef<Axis> parts) {
    return parts.size() == 1 && parts[0].size == one;
  };
  llvm::ArrayRef<Axis> layout;
  size_t chosen_rank = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].empty()) continue;
    // A folded or padded dim determines the result most, a size of 1 least.
    size_t rank = is_one(dims[i]) ? 1 : 2;
    if (dims[i].size() > 1) rank = 3;
    if (IsPadded(dims[i])) rank = IsUniform(*operands[i]) ? 4 : 5;
    if (rank > chosen_rank) {
      chosen_rank = rank;
      layout = dims[i];
    }
  }
  const Axis single = Axis::Plain(one);
  if (layout.empty()) layout = llvm::ArrayRef<Axis>(&single, 1);
  const bool is_padded = IsPadded(layout);
  llvm::SmallVector<bool, 4> has_axis(dims.size(), false);
  for (size_t i = 0; i < dims.size() && is_padded; ++i) {
    if (dims[i].empty() || is_one(dims[i])) continue;
    if (IsPadded(dims[i]) && SameLayout(dims[i], layout)) {
      has_axis[i] = true;
    } else if (!IsUniform(*operands[i])) {
      if (IsOfOtherSymbol(context, dims[i])) {
        RefuseOtherSymbol(context);
        return false;
      }
      context.Contaminate("padded positions of its operands do not line up along dim " +
                              std::to_string(result.rank),
                          /*is_shown=*/false);
      return false;
    }
  }
  llvm::SmallVector<Axis, 2> parts(layout.begin(), layout.end());
  for (size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].is_padded) continue;
    llvm::SmallVector<Fill, 4> near;
    llvm::SmallVector<Fill, 4> all;
    for (size_t i = 0; i < dims.size(); ++i) {
      near.push_back(has_axis[i] ? dims[i][p].near : operands[i]->real);
      all.push_back(has_axis[i] ? dims[i][p].all
                                : Join(operands[i]->Anywhere(), operands[i]->real));
    }
    parts[p].near = Evaluate(function, near);
    parts[p].all = Evaluate(function, all);
  }
  result.AddDim(parts);
  return true;
}

TensorState Broadcast(NodeContext& context, Pointwise function,
                      llvm::ArrayRef<TensorState> operands) {
  TensorState result;
  llvm::SmallVector<const TensorState*, 4> states;
  llvm::SmallVector<Fill, 4> reals;
  size_t rank = 0;
  bool has_rank = true;
  for (const TensorState& operand : operands) {
    has_rank &= operand.has_rank;
    rank = std::max<size_t>(rank, operand.rank);
    states.push_back(&operand);
    reals.push_back(operand.real);
  }
  result.real = Evaluate(function, reals);
  if (!has_rank) return result;
  if (result.real.kind != Fill::Kind::kNumber && IsFirstTrue(function, operands)) {
    result.real.lines |= Fill::kFirstTrue | Fill::kSomeTrue;
  }
  llvm::SmallVector<llvm::ArrayRef<Axis>, 4> dims(operands.size());
  for (size_t dim = 0; dim < rank; ++dim) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const size_t missing = rank - operands[i].rank;
      dims[i] = dim < missing ? llvm::ArrayRef<Axis>() : operands[i].Dim(dim - missing);
    }
    if (!LineUp(context, states, dims, function, result)) {
      result.has_rank = false;
      return result;
    }
  }
  result.has_rank = true;
  return result;
}

}  // namespace shapewise
