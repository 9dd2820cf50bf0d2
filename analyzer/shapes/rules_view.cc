#include <algorithm>
#include <array>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

using Sizes = llvm::SmallVector<ExprId, 8>;

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

// The sizes of the operand at position 1, or those printed for the result. False: not known.
bool SizesOfOther(NodeContext& context, Sizes& sizes) {
  const TensorState other = context.Operand(1, {"other"});
  if (!other.has_rank) return PrintedSizes(context, sizes);
  for (size_t dim = 0; dim < other.rank; ++dim) sizes.push_back(context.WholeSize(other, dim));
  return true;
}

TensorState Reordered(const TensorState& state, llvm::ArrayRef<size_t> order) {
  TensorState result = TensorState::Scalar(state.real);
  for (const size_t dim : order) result.AddDim(state.Dim(dim));
  return result;
}

// Appends a dim of `size` that contains `axes`. If only the outermost is padded, the real
// positions are still the first, so one axis is enough.
void AddFolded(llvm::ArrayRef<Axis> axes, ExprId size, TensorState& result) {
  const auto is_padded = [](const Axis& axis) { return axis.is_padded; };
  if (std::none_of(axes.begin() + (axes.empty() ? 0 : 1), axes.end(), is_padded)) {
    Axis axis = axes.empty() ? Axis::Plain(size) : axes[0];
    axis.size = size;
    result.AddDim(axis);
  } else {
    result.AddDim(axes);
  }
}

// Merges the dims from `first` to `last`.
TensorState Flattened(ExprPool& pool, const TensorState& state, size_t first, size_t last) {
  const ExprId one = pool.Integer(1);
  ExprId size = one;
  TensorState result = TensorState::Scalar(state.real);
  llvm::SmallVector<Axis, 6> folded;
  for (size_t dim = 0; dim < state.rank; ++dim) {
    if (dim < first || dim > last) {
      result.AddDim(state.Dim(dim));
      continue;
    }
    for (const Axis& axis : state.Dim(dim)) {
      if (axis.size == one && !axis.is_padded) continue;
      folded.push_back(axis);
      size = pool.Mul({size, axis.size});
    }
    if (dim == last) AddFolded(folded, size, result);
  }
  return result;
}

// Repeats each position of a dim.
void Interleave(NodeContext& context, const TensorState& state) {
  const auto times = context.Int(context.Find(1, {"repeats"}));
  const auto dim = context.DimOf(state, 2);
  if (!times || !dim) return;
  const Axis* single = state.Single(*dim);
  if (single == nullptr) return context.Unknown("it repeats a folded dim");
  Axis axis = *single;
  axis.size = context.pool().Mul({axis.size, context.pool().Integer(*times)});
  context.Return(state.WithDim(*dim, axis));
}

class Regrouping {
 public:
  Regrouping(NodeContext& context, const TensorState& state, llvm::ArrayRef<ExprId> sizes)
      : context_(context), pool_(context.pool()), one_(pool_.Integer(1)) {
    result_.real = state.real;
    result_.has_rank = true;
    for (const Axis& axis : state.axes) {
      if (axis.size != one_ || axis.is_padded) axes_.push_back(axis);
    }
    sizes_.assign(sizes.begin(), sizes.end());
  }

  TensorState Run() {
    if (!FillIn()) return std::move(result_);
    size_t axis = 0;
    size_t size = 0;
    while (size < sizes_.size()) {
      if (sizes_[size] == one_) {
        result_.AddDim(one_);
        ++size;
        continue;
      }
      // The shortest runs of axes and of sizes with the same product belong together.
      llvm::SmallVector<ExprId, 8> products = {one_};
      for (size_t i = axis; i < axes_.size(); ++i) {
        products.push_back(pool_.Mul({products.back(), axes_[i].size}));
      }
      ExprId product = one_;
      size_t last_size = size;
      size_t taken = 0;
      while (last_size < sizes_.size() && taken == 0) {
        product = pool_.Mul({product, sizes_[last_size++]});
        const auto at = std::find(products.begin() + 1, products.end(), product);
        if (at != products.end()) taken = static_cast<size_t>(at - products.begin());
      }
      // Sizes that cannot be shown to be equal must be equal at the end, or the view would be
      // invalid.
      if (taken == 0) {
        taken = axes_.size() - axis;
        last_size = sizes_.size();
      }
      if (!Group(llvm::ArrayRef<Axis>(axes_).slice(axis, taken),
                 llvm::ArrayRef<ExprId>(sizes_).slice(size, last_size - size))) {
        return std::move(result_);
      }
      axis += taken;
      size = last_size;
    }
    if (std::any_of(axes_.begin() + static_cast<ptrdiff_t>(axis), axes_.end(),
                    [](const Axis& left) { return left.is_padded; })) {
      context_.Unknown("its sizes could not be followed");
    }
    return std::move(result_);
  }

 private:
  // Computes the size that was given as -1.
  bool FillIn() {
    const auto missing = std::ranges::find(sizes_, ExprId::kNone);
    if (missing == sizes_.end()) return true;
    ExprId total = one_;
    for (const Axis& axis : axes_) total = pool_.Mul({total, axis.size});
    ExprId known = one_;
    for (const ExprId size : sizes_) {
      if (size != ExprId::kNone) known = pool_.Mul({known, size});
    }
    *missing = pool_.Binary(ExprKind::kFloorDiv, total, known);
    if (*missing != ExprId::kNone) return true;
    result_.has_rank = false;
    return false;
  }

  // Makes dims of `sizes` from `axes`, which have the same elements.
  bool Group(llvm::ArrayRef<Axis> axes, llvm::ArrayRef<ExprId> sizes) {
    if (sizes.size() == 1) {
      AddFolded(axes, sizes[0], result_);
      return true;
    }
    const auto is_padded = [](const Axis& axis) { return axis.is_padded; };
    if (std::ranges::none_of(axes, is_padded)) {
      for (const ExprId size : sizes) result_.AddDim(size);
      return true;
    }
    // The first elements stay first as long as only the outermost axis is padded, and only the
    // outermost size grows with it.
    const bool is_prefix =
        axes[0].is_padded && std::none_of(axes.begin() + 1, axes.end(), is_padded);
    const auto grows = [&](ExprId size) { return context_.propagation().DependsOnSymbol(size); };
    size_t outer = 0;
    while (outer + 1 < sizes.size() && sizes[outer] == one_) ++outer;
    bool only_outer = grows(sizes[outer]);
    for (size_t i = outer + 1; i < sizes.size(); ++i) only_outer &= !grows(sizes[i]);
    if (!is_prefix || !only_outer) {
      context_.Contaminate(std::string(context_.name().base) +
                           " splits a padded dim so that padding gets between real positions");
      return false;
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      Axis axis = i == outer ? axes[0] : Axis::Plain(sizes[i]);
      axis.size = sizes[i];
      result_.AddDim(axis);
    }
    return true;
  }

  NodeContext& context_;
  ExprPool& pool_;
  ExprId one_;
  llvm::SmallVector<Axis, 8> axes_;
  llvm::SmallVector<ExprId, 8> sizes_;
  TensorState result_;
};

// `state` with dims of `sizes`, whose product is that of its own sizes. At most one size may be
// kNone: it is computed. Reports to the context if padded positions do not stay separate.
TensorState Regroup(NodeContext& context, const TensorState& state, llvm::ArrayRef<ExprId> sizes) {
  TensorState failed;
  failed.real = state.real;
  if (std::ranges::count(sizes, ExprId::kNone) > 1) return failed;
  if (!state.has_rank) {
    if (std::ranges::find(sizes, ExprId::kNone) != sizes.end()) return failed;
    for (const ExprId size : sizes) failed.AddDim(size);
    failed.has_rank = true;
    return failed;
  }
  return Regrouping(context, state, sizes).Run();
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
      return context.Return(Regroup(context, state, sizes));
    }
    case View::kViewAs:
      if (SizesOfOther(context, sizes)) context.Return(Regroup(context, state, sizes));
      return;
    default:
      break;
  }
  if (!state.has_rank) return;
  if (state.rank == 0 && (kind == View::kFlatten || kind == View::kRavel)) {
    TensorState result = state;
    result.AddDim(context.pool().Integer(1));
    return context.Return(std::move(result));
  }
  switch (kind) {
    case View::kFlatten:
    case View::kRavel: {
      const auto first = NormalizeDim(context.IntOr(context.Find(1, {"start_dim"}), 0), state.rank);
      const auto last = NormalizeDim(context.IntOr(context.Find(2, {"end_dim"}), -1), state.rank);
      if (!first || !last || *last < *first) return;
      return context.Return(Flattened(context.pool(), state, *first, *last));
    }
    case View::kUnflatten: {
      const auto dim = context.DimOf(state, 1);
      Sizes parts;
      if (!dim || !ReadSizes(context, context.Varargs(2, "sizes"), parts)) return;
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
          sizes.push_back(context.WholeSize(state, d));
        }
      }
      return context.Return(Regroup(context, state, sizes));
    }
    case View::kSqueeze: {
      const auto dims = context.Dims(context.Find(1, {"dim"}), state.rank);
      if (!dims) return;
      TensorState result = state;
      for (size_t dim = state.rank; dim-- > 0;) {
        const bool is_asked = std::ranges::find(*dims, dim) != dims->end();
        if (is_asked && state.Size(dim) == context.pool().Integer(1)) {
          result = result.WithoutDim(dim);
        }
      }
      return context.Return(std::move(result));
    }
    default: {  // kUnsqueeze
      const auto dim = NormalizeDim(context.IntOr(context.Find(1, {"dim"}), 0), state.rank + 1u);
      if (dim) context.Return(state.WithNewDim(*dim, context.pool().Integer(1)));
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
    return context.Unknown("the attribute " + std::string(asked) + " is not known");
  }
  const OperatorRule* rule = FindOperator(found->same_as);
  const OperatorName name = ParseOperatorName(found->same_as);
  NodeContext other(context.propagation(), context.node(), *rule, name);
  rule->apply(other);
  if (!other.has_failed()) context.result() = std::move(other.result());
}

void ExpandRule(NodeContext& context) {
  const auto kind = static_cast<Expansion>(context.rule().code);
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank) return;
  if (kind == Expansion::kRepeatInterleave) return Interleave(context, state);
  const ExprId one = context.pool().Integer(1);
  TensorState result = TensorState::Scalar(state.real);
  // Along a new padded axis, the elements of real positions are copied.
  const auto copies = [&](ExprId size, ExprId written) {
    Axis axis = Axis::Plain(size);
    axis.is_padded = context.propagation().DependsOnSymbol(written);
    axis.near = state.real;
    axis.all = Join(state.real, state.Anywhere());
    return axis;
  };
  Sizes sizes;
  if (kind == Expansion::kExpandAs) {
    if (!SizesOfOther(context, sizes)) return;
  } else {
    const Argument* named = context.FindKeyword("shape");
    const ArgumentList arguments =
        named != nullptr ? context.Elements(named)
                         : context.Varargs(1, kind == Expansion::kRepeat ? "repeats" : "size");
    if (!ReadSizes(context, arguments, sizes)) {
      sizes.clear();
      if (kind == Expansion::kRepeat || !PrintedSizes(context, sizes)) return;
    }
  }
  if (sizes.size() < state.rank) return;
  const size_t added = sizes.size() - state.rank;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d < added) {
      result.AddDim(copies(sizes[d], sizes[d]));
      continue;
    }
    const llvm::ArrayRef<Axis> parts = state.Dim(d - added);
    const bool is_one = parts.size() == 1 && parts[0].size == one;
    if (kind != Expansion::kRepeat) {
      if (is_one && sizes[d] != ExprId::kNone && sizes[d] != one) {
        result.AddDim(copies(sizes[d], sizes[d]));
      } else {
        result.AddDim(parts);
      }
      continue;
    }
    if (sizes[d] == one) {
      result.AddDim(parts);
    } else if (state.IsPadded(d - added)) {
      return context.Contaminate("it repeats " + context.DimText(state, d - added) +
                                 ", so that padding stands between real positions");
    } else {
      const ExprId whole = context.WholeSize(state, d - added);
      result.AddDim(copies(context.pool().Mul({whole, sizes[d]}), sizes[d]));
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
    return context.Contaminate(std::string(context.name().base) + " moves padding of " +
                                   context.DimText(state, dim) + " to the front",
                               context.propagation().IsReturnedInPlace(context.node()));
  }
  context.Return(state);
}

}  // namespace shapewise
