#include <algorithm>
#include <array>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

using Sizes = llvm::SmallVector<ExprId, 8>;

// The size of a dim, folded or not.
ExprId WholeSize(NodeContext& context, const TensorState& state, size_t dim) {
  ExprId size = context.pool().Integer(1);
  for (const Axis& axis : state.Dim(dim)) size = context.pool().Mul(std::array{size, axis.size});
  return size;
}

// Sizes as written, -1 as kNone. False: one of them is not known.
bool ReadSizes(NodeContext& context, llvm::ArrayRef<const Argument*> arguments, Sizes& sizes) {
  if (const auto shape = arguments.size() == 1 ? context.WholeShape(arguments[0]) : std::nullopt) {
    sizes.assign(shape->begin(), shape->end());
    return std::ranges::find(sizes, ExprId::kNone) == sizes.end();
  }
  for (const Argument* argument : arguments) {
    if (context.Int(argument) == -1) {
      sizes.push_back(ExprId::kNone);
      continue;
    }
    const ExprId size = context.Size(argument);
    if (size == ExprId::kNone) return false;
    sizes.push_back(size);
  }
  return true;
}

// Replaces unknown sizes by the shape printed for the result.
bool PrintedSizes(NodeContext& context, Sizes& sizes) {
  const GraphNode& node = context.propagation().graph().nodes[context.node()];
  if (node.num_values == 0) return false;
  const auto shape = context.propagation().ShapeOf(node.first_value);
  if (!shape) return false;
  sizes.assign(shape->begin(), shape->end());
  return true;
}

TensorState Reordered(const TensorState& state, llvm::ArrayRef<size_t> order) {
  TensorState result;
  result.real = state.real;
  result.has_rank = true;
  for (const size_t dim : order) result.AddDim(state.Dim(dim));
  return result;
}

// Merges the dims from `first` to `last`.
TensorState Flattened(ExprPool& pool, const TensorState& state, size_t first, size_t last) {
  const ExprId one = pool.Integer(1);
  ExprId size = one;
  TensorState result;
  result.real = state.real;
  result.has_rank = true;
  llvm::SmallVector<Axis, 6> folded;
  for (size_t dim = 0; dim < state.rank; ++dim) {
    if (dim < first || dim > last) {
      result.AddDim(state.Dim(dim));
      continue;
    }
    for (const Axis& axis : state.Dim(dim)) {
      if (axis.size == one && !axis.is_padded) continue;
      folded.push_back(axis);
      size = pool.Mul(std::array{size, axis.size});
    }
    if (dim == last) AddFolded(folded, size, result);
  }
  return result;
}

}  // namespace

void ViewRule(NodeContext& context) {
  const auto kind = static_cast<View>(context.rule().code);
  const TensorState state = context.Operand(0, {"input", "self", "a"});
  Sizes sizes;
  switch (kind) {
    case View::kView: {
      const Argument* first = context.Find(1, {"shape", "size"});
      // x.view(torch.int32) reads the same bytes as other numbers.
      if (first != nullptr && first->kind == Argument::Kind::kConstant) return;
      if (!ReadSizes(context, context.Varargs(1, "shape"), sizes) || sizes.empty()) {
        sizes.clear();
        if (!ReadSizes(context, context.Varargs(1, "size"), sizes) &&
            !PrintedSizes(context, sizes)) {
          return;
        }
      }
      context.Return(Regroup(context, state, sizes));
      return;
    }
    case View::kViewAs: {
      const TensorState other = context.Operand(1, {"other"});
      if (!other.has_rank && !PrintedSizes(context, sizes)) return;
      for (size_t dim = 0; dim < other.rank && sizes.size() < other.rank; ++dim) {
        sizes.push_back(WholeSize(context, other, dim));
      }
      context.Return(Regroup(context, state, sizes));
      return;
    }
    default:
      break;
  }
  if (!state.has_rank) return;
  if (state.rank == 0 && (kind == View::kFlatten || kind == View::kRavel)) {
    TensorState result = state;
    result.AddDim(context.pool().Integer(1));
    context.Return(std::move(result));
    return;
  }
  switch (kind) {
    case View::kFlatten:
    case View::kRavel: {
      const auto first = NormalizeDim(context.IntOr(context.Find(1, {"start_dim"}), 0), state.rank);
      const auto last = NormalizeDim(context.IntOr(context.Find(2, {"end_dim"}), -1), state.rank);
      if (!first || !last || *last < *first) return;
      context.Return(Flattened(context.pool(), state, *first, *last));
      return;
    }
    case View::kUnflatten: {
      const auto at = context.Int(context.Find(1, {"dim"}));
      Sizes parts;
      if (!at || !ReadSizes(context, context.Varargs(2, "sizes"), parts)) return;
      const auto dim = NormalizeDim(*at, state.rank);
      if (!dim) return;
      const auto missing = std::ranges::find(parts, ExprId::kNone);
      if (missing != parts.end()) {
        TensorState alone;
        alone.AddDim(state.Dim(*dim));
        const TensorState split = Regroup(context, alone, parts);
        if (!split.has_rank) return;
        *missing = split.Size(static_cast<size_t>(missing - parts.begin()));
      }
      for (size_t d = 0; d < state.rank; ++d) {
        if (d == *dim) {
          sizes.append(parts.begin(), parts.end());
        } else {
          sizes.push_back(WholeSize(context, state, d));
        }
      }
      context.Return(Regroup(context, state, sizes));
      return;
    }
    case View::kSqueeze: {
      const Argument* argument = context.Find(1, {"dim"});
      const auto dims = context.Dims(argument, state.rank);
      if (!dims) return;
      TensorState result;
      result.real = state.real;
      result.has_rank = true;
      for (size_t dim = 0; dim < state.rank; ++dim) {
        const bool is_asked = std::ranges::find(*dims, dim) != dims->end();
        if (is_asked && state.Size(dim) == context.pool().Integer(1)) continue;
        result.AddDim(state.Dim(dim));
      }
      context.Return(std::move(result));
      return;
    }
    default: {  // kUnsqueeze
      const auto dim = NormalizeDim(context.IntOr(context.Find(1, {"dim"}), 0), state.rank + 1u);
      if (!dim) return;
      TensorState result;
      result.real = state.real;
      result.has_rank = true;
      for (size_t d = 0; d <= state.rank; ++d) {
        if (d == *dim) result.AddDim(context.pool().Integer(1));
        if (d < state.rank) result.AddDim(state.Dim(d));
      }
      context.Return(std::move(result));
    }
  }
}

void PermuteRule(NodeContext& context) {
  const auto kind = static_cast<Permutation>(context.rule().code);
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank) return;
  llvm::SmallVector<size_t, 6> order;
  for (size_t dim = 0; dim < state.rank; ++dim) order.push_back(dim);
  switch (kind) {
    case Permutation::kPermute: {
      order.clear();
      for (const Argument* argument : context.Varargs(1, "dims")) {
        const auto dim = context.Int(argument);
        const auto normalized = dim ? NormalizeDim(*dim, state.rank) : std::nullopt;
        if (!normalized) return;
        order.push_back(*normalized);
      }
      if (order.size() != state.rank) return;
      break;
    }
    case Permutation::kTranspose:
    case Permutation::kMove: {
      const auto first = context.Int(context.Find(1, {"dim0", "source", "axis0"}));
      const auto second = context.Int(context.Find(2, {"dim1", "destination", "axis1"}));
      if (!first || !second) return;
      const auto from = NormalizeDim(*first, state.rank);
      const auto to = NormalizeDim(*second, state.rank);
      if (!from || !to) return;
      if (order.empty()) break;
      if (kind == Permutation::kTranspose) {
        std::swap(order[*from], order[*to]);
      } else {
        const size_t moved = order[*from];
        order.erase(order.begin() + static_cast<ptrdiff_t>(*from));
        order.insert(order.begin() + static_cast<ptrdiff_t>(*to), moved);
      }
      break;
    }
    case Permutation::kReverse:
      std::ranges::reverse(order);
      break;
    case Permutation::kMatrix:
      if (state.rank >= 2) std::swap(order[state.rank - 1u], order[state.rank - 2u]);
      break;
  }
  context.Return(Reordered(state, order));
}

void AttributeRule(NodeContext& context) {
  // getattr(x, 'mT'): attributes of tensors that are tensors.
  struct Attribute {
    std::string_view name;
    std::string_view same_as;
  };
  constexpr auto kAttributes = std::to_array<Attribute>(
      {{"T", "T"}, {"mT", "mT"}, {"mH", "mT"}, {"data", "detach"}, {"real", "real"}});
  const std::string_view asked = context.Text(context.Find(1));
  const auto found = std::ranges::find(kAttributes, asked, &Attribute::name);
  if (found == kAttributes.end()) {
    context.Unknown("the attribute " + std::string(asked) + " is not known");
    return;
  }
  const OperatorRule* rule = FindOperator(found->same_as);
  const OperatorName name = ParseOperatorName(found->same_as);
  NodeContext other(context.propagation(), context.node(), *rule, name);
  rule->apply(other);
  if (!other.has_failed() && other.has_result()) context.Return(other.results()[0]);
}

void ExpandRule(NodeContext& context) {
  const auto kind = static_cast<Expansion>(context.rule().code);
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank) return;
  const ExprId one = context.pool().Integer(1);
  TensorState result;
  result.real = state.real;
  result.has_rank = true;
  // Along a new padded axis, the elements of real positions are copied.
  const auto copies = [&](ExprId size, bool is_padded) {
    Axis axis = Axis::Plain(size);
    axis.is_padded = is_padded;
    axis.near = state.real;
    axis.all = Join(state.real, state.Anywhere());
    return axis;
  };
  if (kind == Expansion::kRepeatInterleave) {
    const auto times = context.Int(context.Find(1, {"repeats"}));
    const auto at = context.Int(context.Find(2, {"dim"}));
    if (!times || !at) return;
    const auto dim = NormalizeDim(*at, state.rank);
    if (!dim) return;
    for (size_t d = 0; d < state.rank; ++d) {
      llvm::SmallVector<Axis, 2> parts(state.Dim(d).begin(), state.Dim(d).end());
      if (d == *dim) {
        if (parts.size() != 1) {
          context.Unknown("it repeats a folded dim");
          return;
        }
        parts[0].size =
            context.pool().Mul(std::array{parts[0].size, context.pool().Integer(*times)});
      }
      result.AddDim(parts);
    }
    context.Return(std::move(result));
    return;
  }
  Sizes sizes;
  llvm::SmallVector<bool, 8> grows;
  if (kind == Expansion::kExpandAs) {
    const TensorState other = context.Operand(1, {"other"});
    if (!other.has_rank && !PrintedSizes(context, sizes)) return;
    for (size_t dim = 0; dim < other.rank && sizes.size() < other.rank; ++dim) {
      sizes.push_back(WholeSize(context, other, dim));
    }
    for (const ExprId size : sizes) grows.push_back(context.propagation().DependsOnSymbol(size));
  } else {
    const Argument* named = context.FindKeyword("shape");
    const ArgumentList arguments =
        named != nullptr ? context.Elements(named)
                         : context.Varargs(1, kind == Expansion::kRepeat ? "repeats" : "size");
    if (!ReadSizes(context, arguments, sizes)) {
      sizes.clear();
      if (kind == Expansion::kRepeat || !PrintedSizes(context, sizes)) return;
    }
    for (const ExprId size : sizes) grows.push_back(context.propagation().DependsOnSymbol(size));
  }
  if (sizes.size() < state.rank) return;
  const size_t added = sizes.size() - state.rank;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d < added) {
      result.AddDim(copies(sizes[d], grows[d]));
      continue;
    }
    const llvm::ArrayRef<Axis> parts = state.Dim(d - added);
    const bool is_one = parts.size() == 1 && parts[0].size == one;
    if (kind != Expansion::kRepeat) {
      if (is_one && sizes[d] != ExprId::kNone && sizes[d] != one) {
        result.AddDim(copies(sizes[d], grows[d]));
      } else {
        result.AddDim(parts);
      }
      continue;
    }
    if (sizes[d] == one) {
      result.AddDim(parts);
    } else if (state.IsPadded(d - added)) {
      context.Contaminate("it repeats " + context.DimText(state, d - added) +
                          ", so that padding stands between real positions");
      return;
    } else {
      const ExprId whole = WholeSize(context, state, d - added);
      result.AddDim(copies(context.pool().Mul(std::array{whole, sizes[d]}), grows[d]));
    }
  }
  context.Return(std::move(result));
}

void FlipRule(NodeContext& context) {
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank) return;
  // roll(input, shifts, dims); flip(input, dims).
  const bool is_roll = context.name().base == "roll";
  const auto dims = context.Dims(context.Find(is_roll ? 2 : 1, {"dims"}), state.rank);
  if (!dims) return;
  for (const size_t dim : *dims) {
    if (!state.IsPadded(dim)) continue;
    // A later node may move it back.
    context.Contaminate(std::string(context.name().base) + " moves padding of " +
                            context.DimText(state, dim) + " to the front",
                        context.propagation().IsReturnedInPlace(context.node()));
    return;
  }
  context.Return(state);
}

}  // namespace shapewise
