#include <algorithm>

#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

TensorState OfShape(NodeContext& context, llvm::ArrayRef<ExprId> shape) {
  TensorState state = TensorState::Scalar();
  for (const ExprId size : shape) {
    Axis axis = Axis::Plain(size);
    axis.is_padded = context.propagation().DependsOnSymbol(size);
    state.AddDim(axis);
  }
  return state;
}

TensorState OfSizes(NodeContext& context, llvm::ArrayRef<const Argument*> sizes) {
  if (const auto shape = sizes.size() == 1 ? context.WholeShape(sizes[0]) : std::nullopt) {
    return OfShape(context, *shape);
  }
  TensorState state = TensorState::Scalar();
  for (const Argument* size : sizes) {
    Axis axis = Axis::Plain(context.Size(size));
    axis.is_padded = context.IsPaddedSize(size) || context.propagation().DependsOnSymbol(axis.size);
    state.AddDim(axis);
  }
  return state;
}

// Folded dims keep their layout if the operand is right; otherwise only its shape is used.
TensorState LikeOperand(NodeContext& context) {
  const uint32_t value = context.ValueOf(context.Find(0, {"input", "self"}));
  if (value == kNoIndex) return TensorState();
  if (context.propagation().SlotOf(value).quality == Quality::kRight) {
    return context.propagation().StateOf(value);
  }
  const auto shape = context.propagation().ShapeOf(value);
  return shape ? OfShape(context, *shape) : TensorState();
}

void ReturnFilled(NodeContext& context, TensorState state, const Fill& fill) {
  state.real = fill;
  state.SetFills(fill);
  context.Return(std::move(state));
}

// The number given by an argument, if it does not grow with the symbol.
std::optional<Fill> ValueFill(NodeContext& context, const Argument* argument) {
  if (context.IsPaddedSize(argument)) {
    context.Contaminate("it writes the size " + context.SymbolText() +
                        " as a number, which padding changes");
    return std::nullopt;
  }
  if (context.IsTensor(argument)) return context.State(argument).real;
  const auto number = context.Number(argument);
  return number ? Fill::Number(*number) : Fill::Real();
}

void Arange(NodeContext& context) {
  ExprPool& pool = context.pool();
  const bool is_iota = static_cast<Creation>(context.rule().code) == Creation::kIota;
  // arange(end), arange(start, end, step), prims.iota(length, *, start, step, ...).
  const bool has_both = !is_iota && context.num_positional() >= 2;
  const Argument* start = has_both ? context.Find(0) : context.FindKeyword("start");
  const Argument* end = has_both ? context.Find(1) : context.Find(0, {"end", "length"});
  const Argument* step = has_both ? context.Find(2, {"step"}) : context.FindKeyword("step");
  const ExprId last = context.Size(end);
  const ExprId first = start == nullptr ? pool.Integer(0) : context.Size(start);
  const std::optional<int64_t> stride = step == nullptr ? 1 : context.Int(step);
  if (context.IsPaddedSize(start)) {
    return context.Contaminate("it counts from a number that padding changes");
  }
  ExprId length = last;
  if (!is_iota && last != ExprId::kNone && first != ExprId::kNone) {
    length = pool.Subtract(last, first);
    if (stride && *stride != 1 && *stride != 0) {
      length = pool.Binary(ExprKind::kCeilDiv, length, pool.Integer(*stride));
    }
  }
  Axis axis = Axis::Plain(length);
  axis.is_padded = context.IsPaddedSize(end);
  const auto begin = start == nullptr ? std::optional<int64_t>(0) : context.Int(start);
  TensorState state;
  state.real = Fill::Real();
  axis.near = Fill::Of(Fill::Kind::kFinite);
  if (begin && *begin >= 0 && stride && *stride >= 1) {
    axis.near = Fill::Of(Fill::Kind::kNonNegative);
    if (last == context.symbol() && *stride == 1 && last != ExprId::kNone) {
      // Beyond the real size, because all real positions are below it.
      axis.near = Fill::Of(Fill::Kind::kIndex);
      state.real = {Fill::Kind::kBelow, true, 0};
      if (*begin == 0) state.real.lines = Fill::kEveryPosition;
    }
  }
  axis.all = axis.near;
  state.AddDim(axis);
  context.Return(std::move(state));
}

void OneHot(NodeContext& context) {
  TensorState state = context.Operand(0, {"input", "self"});
  const auto classes = context.Int(context.Find(1, {"num_classes"}));
  if (!state.has_rank || !classes || *classes < 0) return;
  state.SetFills(Fill::Of(Fill::Kind::kNonNegative));
  state.real = Fill::Real();
  if (state.IsPadded()) context.Note("padded positions must hold valid classes");
  state.AddDim(context.pool().Integer(*classes));
  context.Return(std::move(state));
}

}  // namespace

void FilledRule(NodeContext& context) {
  const NewTensor asked = NewTensor::OfCode(context.rule().code);
  const bool is_like = asked.sizes == NewTensor::Sizes::kLike;
  const size_t sizes = asked.sizes == NewTensor::Sizes::kAfterTensor ? 1 : 0;
  std::optional<Fill> fill = Fill::Real();
  if (asked.values == NewTensor::Values::kZeros) fill = Fill::Number(0);
  if (asked.values == NewTensor::Values::kOnes) fill = Fill::Number(1);
  const bool is_given = asked.values == NewTensor::Values::kGiven;
  if (is_given) fill = ValueFill(context, context.Find(sizes + 1, {"fill_value", "value"}));
  if (!fill) return;
  // zeros(2, 3) and zeros((2, 3)), but full((2, 3), value).
  ReturnFilled(context,
               is_like    ? LikeOperand(context)
               : is_given ? OfSizes(context, context.Elements(context.Find(sizes, {"size"})))
                          : OfSizes(context, context.Varargs(sizes, "size")),
               *fill);
}

void CreateRule(NodeContext& context) {
  const auto kind = static_cast<Creation>(context.rule().code);
  switch (kind) {
    case Creation::kArange:
    case Creation::kIota:
      return Arange(context);
    case Creation::kEye: {
      ArgumentList sizes = context.Varargs(0, "n");
      if (sizes.size() == 1) sizes.push_back(sizes[0]);
      TensorState state = OfSizes(context, sizes);
      for (Axis& axis : state.axes) {
        const bool is_square =
            sizes.size() == 2 && context.Size(sizes[0]) == context.Size(sizes[1]);
        axis.near = is_square ? Fill::Number(0) : Fill::Of(Fill::Kind::kNonNegative);
        axis.all = Fill::Of(Fill::Kind::kNonNegative);
      }
      return context.Return(std::move(state));
    }
    case Creation::kScalar: {
      const auto fill = ValueFill(context, context.Find(0, {"s", "data"}));
      if (!fill) return;
      const Argument* data = context.Find(0, {"s", "data"});
      TensorState state;
      state.has_rank = data == nullptr || !data->IsSequence();
      return ReturnFilled(context, std::move(state), *fill);
    }
    case Creation::kOneHot:
      return OneHot(context);
  }
}

void SizeRule(NodeContext& context) {
  ExprPool& pool = context.pool();
  const std::string_view name = context.name().base;
  if (name == "sym_size" || name == "size") {
    const Argument* tensor = context.Find(0, {"input", "self"});
    const auto at = context.Int(context.Find(1, {"dim"}));
    const uint32_t value = context.ValueOf(tensor);
    if (value == kNoIndex) return;
    const auto shape = context.propagation().ShapeOf(value);
    if (!shape || !at) {
      // x.size() is evaluated where it is used.
      if (!at && (name != "size" || context.Find(1, {"dim"}) != nullptr)) return;
      return context.ReturnNumber(ExprId::kNone);
    }
    const auto dim = NormalizeDim(*at, shape->size());
    return context.ReturnNumber(dim && *dim < shape->size() ? (*shape)[*dim] : ExprId::kNone);
  }
  if (name == "sym_sum") {
    llvm::SmallVector<ExprId, 4> terms;
    for (const Argument* term : context.Elements(context.Find(0))) {
      terms.push_back(context.Size(term));
    }
    const bool is_known = std::ranges::find(terms, ExprId::kNone) == terms.end();
    return context.ReturnNumber(is_known ? pool.Add(terms) : ExprId::kNone);
  }
  const ExprId left = context.Size(context.Find(0));
  const ExprId right = context.Size(context.Find(1));
  const bool has_both = left != ExprId::kNone && right != ExprId::kNone;
  ExprId result = ExprId::kNone;
  if (name == "neg" && left != ExprId::kNone) {
    result = pool.Negate(left);
  } else if (name == "sym_int" || name == "sym_float") {
    result = left;
  } else if (has_both) {
    if (name == "add") result = pool.Add({left, right});
    if (name == "sub") result = pool.Subtract(left, right);
    if (name == "mul") result = pool.Mul({left, right});
    if (name == "floordiv") result = pool.Binary(ExprKind::kFloorDiv, left, right);
    if (name == "truediv") result = pool.Binary(ExprKind::kTrueDiv, left, right);
    if (name == "mod") result = pool.Binary(ExprKind::kMod, left, right);
    if (name == "pow") result = pool.Binary(ExprKind::kPower, left, right);
    if (name == "sym_max") result = pool.Fold(ExprKind::kMax, {left, right});
    if (name == "sym_min") result = pool.Fold(ExprKind::kMin, {left, right});
  }
  context.ReturnNumber(result);
}

void IgnoreRule(NodeContext& context) { context.ReturnNumber(ExprId::kNone); }

}  // namespace shapewise
