// Python's operators on numbers, which compute sizes.

#include <ATen/ops/mul.h>
#include <ATen/ops/reciprocal.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "replay/operators_by_hand.h"
#include "replay/size_expression.h"

namespace shapewise::replay {
namespace {

bool AreIntegers(const Value& a, const Value& b) { return !a.IsFloat() && !b.IsFloat(); }

/// Fails for integer arithmetic without a result.
[[noreturn]] void FailToCompute() {
  TORCH_CHECK(false, "a size overflows 64 bits, or is divided by zero");
}

Value IntegerOrFail(std::optional<int64_t> number) {
  if (!number) FailToCompute();
  return Value::Int(*number);
}

/// Stores `number`; false: absent.
bool Store(std::optional<int64_t> number, int64_t* result) {
  *result = number.value_or(0);
  return number.has_value();
}

/// Applies `integers` if neither operand is a float, else `floats`.
template <typename Integers, typename Floats>
Value Arithmetic(const CallArguments& arguments, Integers integers, Floats floats) {
  const Value a = arguments.Get(0);
  const Value b = arguments.Get(1);
  if (!AreIntegers(a, b)) return Value::Float(floats(a.AsFloat(), b.AsFloat()));
  int64_t result = 0;
  if (!integers(a.AsInt(), b.AsInt(), &result)) FailToCompute();
  return Value::Int(result);
}

Value Add(const CallArguments& arguments) {
  const Value a = arguments.Get(0);
  const Value b = arguments.Get(1);
  if (a.IsSequence() && b.IsSequence()) {
    std::vector<Value> items = a.items();
    items.insert(items.end(), b.items().begin(), b.items().end());
    return a.kind() == Value::Kind::kTuple ? Value::Tuple(std::move(items))
                                           : Value::List(std::move(items));
  }
  return Arithmetic(
      arguments,
      [](int64_t x, int64_t y, int64_t* sum) { return !__builtin_add_overflow(x, y, sum); },
      [](double x, double y) { return x + y; });
}

Value Subtract(const CallArguments& arguments) {
  return Arithmetic(
      arguments,
      [](int64_t x, int64_t y, int64_t* result) { return !__builtin_sub_overflow(x, y, result); },
      [](double x, double y) { return x - y; });
}

Value Multiply(const CallArguments& arguments) {
  return Arithmetic(
      arguments,
      [](int64_t x, int64_t y, int64_t* result) { return !__builtin_mul_overflow(x, y, result); },
      [](double x, double y) { return x * y; });
}

Value TrueDivide(const CallArguments& arguments) {
  const double divisor = arguments.Get(1).AsFloat();
  TORCH_CHECK(divisor != 0, "division by zero");
  return Value::Float(arguments.Get(0).AsFloat() / divisor);
}

Value FloorDivideValues(const CallArguments& arguments) {
  return Arithmetic(
      arguments,
      [](int64_t x, int64_t y, int64_t* quotient) { return Store(FloorDivide(x, y), quotient); },
      [](double x, double y) { return std::floor(x / y); });
}

Value Modulo(const CallArguments& arguments) {
  return Arithmetic(
      arguments,
      [](int64_t x, int64_t y, int64_t* remainder) { return Store(FloorModulo(x, y), remainder); },
      [](double x, double y) { return x - std::floor(x / y) * y; });
}

Value Power(const CallArguments& arguments) {
  const Value base = arguments.Get(0);
  const Value exponent = arguments.Get(1);
  if (!AreIntegers(base, exponent) || exponent.AsInt() < 0) {
    return Value::Float(std::pow(base.AsFloat(), exponent.AsFloat()));
  }
  return IntegerOrFail(RaiseToPower(base.AsInt(), exponent.AsInt()));
}

Value Negate(const CallArguments& arguments) {
  const Value operand = arguments.Get(0);
  if (operand.IsFloat()) return Value::Float(-operand.AsFloat());
  int64_t negative = 0;
  if (__builtin_sub_overflow(int64_t{0}, operand.AsInt(), &negative)) FailToCompute();
  return Value::Int(negative);
}

Value Same(const CallArguments& arguments) { return arguments.Get(0); }

template <typename Comparison>
Value Compared(const CallArguments& arguments) {
  constexpr Comparison kCompare;
  const Value a = arguments.Get(0);
  const Value b = arguments.Get(1);
  return Value::Bool(AreIntegers(a, b) ? kCompare(a.AsInt(), b.AsInt())
                                       : kCompare(a.AsFloat(), b.AsFloat()));
}

bool AreEqual(const Value& a, const Value& b) {
  if (a.IsNumber() && b.IsNumber()) return a.AsFloat() == b.AsFloat();
  if (a.IsText() && b.IsText()) return a.AsText() == b.AsText();
  if (a.IsSequence() && b.IsSequence()) {
    return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                      AreEqual);
  }
  return a.kind() == b.kind() && a.plain().tagKind() == b.plain().tagKind() &&
         (a.IsNone() || a.plain().toInt() == b.plain().toInt());
}

Value Equal(const CallArguments& arguments) {
  return Value::Bool(AreEqual(arguments.Get(0), arguments.Get(1)));
}

Value NotEqual(const CallArguments& arguments) {
  return Value::Bool(!AreEqual(arguments.Get(0), arguments.Get(1)));
}

/// For truth values returns a truth value, for integers an integer.
template <typename Operation>
Value Bitwise(const CallArguments& arguments) {
  const Value a = arguments.Get(0);
  const Value b = arguments.Get(1);
  const int64_t result = Operation()(a.AsInt(), b.AsInt());
  return a.IsBool() && b.IsBool() ? Value::Bool(result != 0) : Value::Int(result);
}

Value Not(const CallArguments& arguments) { return Value::Bool(!arguments.Get(0).AsBool()); }
Value Truth(const CallArguments& arguments) { return Value::Bool(arguments.Get(0).AsBool()); }
Value Is(const CallArguments& arguments) {
  return Value::Bool(arguments.Get(0).IsNone() && arguments.Get(1).IsNone());
}
Value IsNot(const CallArguments& arguments) { return Value::Bool(!Is(arguments).AsBool()); }

Value ToFloat(const CallArguments& arguments) { return Value::Float(arguments.Get(0).AsFloat()); }

Value ToInt(const CallArguments& arguments) {
  const Value operand = arguments.Get(0);
  return operand.IsFloat() ? IntegerOrFail(IntegerOf(std::trunc(operand.AsFloat())))
                           : Value::Int(operand.AsInt());
}

Value Floor(const CallArguments& arguments) {
  return IntegerOrFail(IntegerOf(std::floor(arguments.Get(0).AsFloat())));
}

Value Ceil(const CallArguments& arguments) {
  return IntegerOrFail(IntegerOf(std::ceil(arguments.Get(0).AsFloat())));
}

Value Round(const CallArguments& arguments) {
  // Rounds half to even, as in Python.
  return IntegerOrFail(IntegerOf(std::nearbyint(arguments.Get(0).AsFloat())));
}

Value SquareRoot(const CallArguments& arguments) {
  return Value::Float(std::sqrt(arguments.Get(0).AsFloat()));
}

Value Absolute(const CallArguments& arguments) {
  const Value operand = arguments.Get(0);
  if (operand.IsFloat()) return Value::Float(std::fabs(operand.AsFloat()));
  return operand.AsInt() < 0 ? Negate(arguments) : Value::Int(operand.AsInt());
}

/// The operands, or the elements of a single list.
std::vector<Value> Operands(const CallArguments& arguments) {
  if (arguments.size() == 1 && arguments.Get(0).IsSequence()) return arguments.Get(0).items();
  TORCH_CHECK(arguments.size() > 0, "no operands");
  return arguments.positional;
}

bool IsLess(const Value& a, const Value& b) { return a.AsFloat() < b.AsFloat(); }

Value Least(const CallArguments& arguments) {
  const std::vector<Value> operands = Operands(arguments);
  TORCH_CHECK(!operands.empty(), "no operands");
  return *std::ranges::min_element(operands, IsLess);
}

Value Greatest(const CallArguments& arguments) {
  const std::vector<Value> operands = Operands(arguments);
  TORCH_CHECK(!operands.empty(), "no operands");
  return *std::ranges::max_element(operands, IsLess);
}

Value Sum(const CallArguments& arguments) {
  Value sum = Value::Int(0);
  for (const Value& operand : Operands(arguments)) sum = Add({{sum, operand}, {}});
  return sum;
}

Value Choose(const CallArguments& arguments) {
  return arguments.Get(arguments.Get(0).AsBool() ? 1 : 2);
}

// Sources: _sym_* in torch/__init__.py, magic_methods in torch/fx/experimental/sym_node.py, and the
// functions that torch/utils/_sympy/printers.py writes.
constexpr NamedFunction kOnNumbers[] = {
    {"operator.add", Add},
    {"operator.iadd", Add},
    {"operator.sub", Subtract},
    {"operator.isub", Subtract},
    {"operator.mul", Multiply},
    {"operator.imul", Multiply},
    {"operator.truediv", TrueDivide},
    {"operator.itruediv", TrueDivide},
    {"operator.floordiv", FloorDivideValues},
    {"operator.ifloordiv", FloorDivideValues},
    {"operator.mod", Modulo},
    {"operator.imod", Modulo},
    {"operator.pow", Power},
    {"operator.neg", Negate},
    {"operator.pos", Same},
    {"operator.eq", Equal},
    {"operator.ne", NotEqual},
    {"operator.lt", Compared<std::less<>>},
    {"operator.le", Compared<std::less_equal<>>},
    {"operator.gt", Compared<std::greater<>>},
    {"operator.ge", Compared<std::greater_equal<>>},
    {"operator.and_", Bitwise<std::bit_and<>>},
    {"operator.or_", Bitwise<std::bit_or<>>},
    {"operator.xor", Bitwise<std::bit_xor<>>},
    {"operator.not_", Not},
    {"operator.truth", Truth},
    {"operator.is_", Is},
    {"operator.is_not", IsNot},
    {"operator.abs", Absolute},
    {"operator.index", Same},
    {"abs", Absolute},
    {"bool", Truth},
    {"float", ToFloat},
    {"int", ToInt},
    {"max", Greatest},
    {"min", Least},
    {"round", Round},
    {"sum", Sum},
    {"math.ceil", Ceil},
    {"math.floor", Floor},
    {"math.sqrt", SquareRoot},
    {"math.trunc", ToInt},
    {"math.pow", Power},
    {"torch.sym_float", ToFloat},
    {"torch.sym_fresh_size", Same},
    {"torch.sym_int", ToInt},
    {"torch.sym_ite", Choose},
    {"torch.sym_max", Greatest},
    {"torch.sym_min", Least},
    {"torch.sym_not", Not},
    {"torch.sym_sqrt", SquareRoot},
    {"torch._sym_sqrt", SquareRoot},
    {"torch.sym_sum", Sum},
};

constexpr TensorOperator kOnTensors[] = {
    {"operator.add", "aten::add", "aten::add"},
    {"operator.iadd", "aten::add_", {}},
    {"operator.sub", "aten::sub", "aten::rsub"},
    {"operator.isub", "aten::sub_", {}},
    {"operator.mul", "aten::mul", "aten::mul"},
    {"operator.imul", "aten::mul_", {}},
    {"operator.truediv", "aten::div", {}},
    {"operator.itruediv", "aten::div_", {}},
    {"operator.floordiv", "aten::floor_divide", {}},
    {"operator.ifloordiv", "aten::floor_divide_", {}},
    {"operator.mod", "aten::remainder", {}},
    {"operator.imod", "aten::remainder_", {}},
    {"operator.pow", "aten::pow", {}},
    {"operator.ipow", "aten::pow_", {}},
    {"operator.matmul", "aten::matmul", {}},
    {"operator.neg", "aten::neg", {}},
    {"operator.pos", "aten::positive", {}},
    {"operator.abs", "aten::abs", {}},
    {"operator.invert", "aten::bitwise_not", {}},
    {"operator.eq", "aten::eq", "aten::eq"},
    {"operator.ne", "aten::ne", "aten::ne"},
    {"operator.lt", "aten::lt", "aten::gt"},
    {"operator.le", "aten::le", "aten::ge"},
    {"operator.gt", "aten::gt", "aten::lt"},
    {"operator.ge", "aten::ge", "aten::le"},
    {"operator.and_", "aten::bitwise_and", "aten::bitwise_and"},
    {"operator.or_", "aten::bitwise_or", "aten::bitwise_or"},
    {"operator.xor", "aten::bitwise_xor", "aten::bitwise_xor"},
    {"operator.iand", "aten::bitwise_and_", {}},
    {"operator.ior", "aten::bitwise_or_", {}},
    {"operator.ixor", "aten::bitwise_xor_", {}},
    {"operator.lshift", "aten::__lshift__", {}},
    {"operator.rshift", "aten::__rshift__", {}},
};

}  // namespace

HandFunction FindOperatorOnNumbers(std::string_view target) {
  return FindFunction(kOnNumbers, target);
}

const TensorOperator* FindTensorOperator(std::string_view target) {
  for (const TensorOperator& row : kOnTensors) {
    if (row.python == target) return &row;
  }
  return nullptr;
}

Value DivideNumberByTensor(const CallArguments& arguments) {
  // Source: Tensor.__rdiv__ in torch/_tensor.py.
  return Value::Of(
      at::mul(at::reciprocal(arguments.Get(1).AsTensor()), arguments.Get(0).AsScalar()));
}

}  // namespace shapewise::replay
