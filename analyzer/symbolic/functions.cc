#include "symbolic/storage.h"

#include <algorithm>
#include <array>

#include "llvm/ADT/SmallVector.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;
using Operands = llvm::SmallVector<ExprId, 8>;

enum class Function : uint8_t {
  kAbs,
  kAdd,
  kAnd,
  kCeil,
  kCeilDiv,
  kEqual,
  kFloor,
  kFloorDiv,
  kGreater,
  kGreaterEqual,
  kIdentity,
  kLeftShift,
  kLess,
  kLessEqual,
  kMax,
  kMin,
  kMod,
  kModularIndexing,
  kMul,
  kNot,
  kNotEqual,
  kOr,
  kPiecewise,
  kPower,
  kRightShift,
  kToInteger,
  kTrueDiv,
  kTruncate,
  kWhere,
};

struct FunctionName {
  std::string_view name;
  Function function;
};

// Sorted. Sources: torch/utils/_sympy/functions.py; printers.py (PythonPrinter, CppPrinter);
// torch/fx/experimental/sym_node.py; sympy's class names, which its srepr prints.
constexpr auto kFunctions = std::to_array<FunctionName>({
    {"Abs", Function::kAbs},
    {"Add", Function::kAdd},
    {"And", Function::kAnd},
    {"CeilDiv", Function::kCeilDiv},
    {"CeilToInt", Function::kCeil},
    {"CleanDiv", Function::kFloorDiv},
    {"Eq", Function::kEqual},
    {"Equality", Function::kEqual},
    {"FloorDiv", Function::kFloorDiv},
    {"FloorToInt", Function::kFloor},
    {"Ge", Function::kGreaterEqual},
    {"GreaterThan", Function::kGreaterEqual},
    {"Gt", Function::kGreater},
    {"Identity", Function::kIdentity},
    {"IntTrueDiv", Function::kTrueDiv},
    {"Integer", Function::kIdentity},
    {"LShift", Function::kLeftShift},
    {"Le", Function::kLessEqual},
    {"LessThan", Function::kLessEqual},
    {"Lt", Function::kLess},
    {"Max", Function::kMax},
    {"Min", Function::kMin},
    {"Mod", Function::kMod},
    {"ModularIndexing", Function::kModularIndexing},
    {"Mul", Function::kMul},
    {"Ne", Function::kNotEqual},
    {"Not", Function::kNot},
    {"Or", Function::kOr},
    {"Piecewise", Function::kPiecewise},
    {"Pow", Function::kPower},
    {"PowByNatural", Function::kPower},
    {"PythonMod", Function::kMod},
    {"RShift", Function::kRightShift},
    {"Rational", Function::kTrueDiv},
    {"StrictGreaterThan", Function::kGreater},
    {"StrictLessThan", Function::kLess},
    {"Sym", Function::kIdentity},
    {"SymBool", Function::kIdentity},
    {"SymInt", Function::kIdentity},
    {"TruncToInt", Function::kTruncate},
    {"Unequality", Function::kNotEqual},
    {"Where", Function::kWhere},
    {"abs", Function::kAbs},
    {"ceil", Function::kCeil},
    {"ceiling", Function::kCeil},
    {"div_floor_integer", Function::kFloorDiv},
    {"div_mod", Function::kMod},
    {"floor", Function::kFloor},
    {"int", Function::kToInteger},
    {"max", Function::kMax},
    {"min", Function::kMin},
    {"pow", Function::kPower},
    {"sym_int", Function::kToInteger},
    {"sym_ite", Function::kWhere},
    {"sym_max", Function::kMax},
    {"sym_min", Function::kMin},
    {"sym_not", Function::kNot},
    {"trunc", Function::kTruncate},
});

// Calls with an integer result for any arguments. Sorted.
constexpr auto kIntegerCalls = std::to_array<std::string_view>({
    "!=",
    "<",
    "<=",
    "==",
    "BitwiseFn_bitwise_and",
    "BitwiseFn_bitwise_or",
    "BitwiseFn_bitwise_xor",
    "CeilToInt",
    "FloorToInt",
    "IsNonOverlappingAndDenseIndicator",
    "RoundToInt",
    "TruncToInt",
    "len",
});

// Operators and functions with a float result if an operand is a float. Sorted.
constexpr auto kFloatOperators = std::to_array<std::string_view>({
    "%",
    "*",
    "**",
    "+",
    "/",
    "//",
    "Max",
    "Min",
    "Where",
});

// Functions with a float result. Sorted.
constexpr auto kFloatCalls = std::to_array<std::string_view>({
    "FloatPow", "FloatTrueDiv", "RoundDecimal", "ToFloat", "TruncToFloat", "_sym_cos", "_sym_log2",
    "_sym_sin", "_sym_sqrt",    "acos",         "asin",    "asinh",        "atan",     "cos",
    "cosh",     "exp",          "float",        "log",     "log2",         "sin",      "sinh",
    "sqrt",     "sym_float",    "tan",          "tanh",
});

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::binary_search(names.begin(), names.end(), name);
}

// floor(a/2 + b/3) is (3*a + 2*b) // 6. kNone: a summand is not a quotient of integers.
ExprId RoundSum(ExprPool& pool, const Storage& storage, ExprKind rounding, ExprId sum) {
  Operands denominators = {pool.Integer(1)};
  for (const ExprId term : storage.operands(sum)) {
    if (storage.kind(term) == ExprKind::kTrueDiv) {
      denominators.push_back(storage.operands(term)[1]);
    }
  }
  const ExprId denominator = pool.Mul(denominators);
  Operands scaled;
  for (const ExprId term : storage.operands(sum)) {
    const ExprId factors[] = {denominator, term};
    scaled.push_back(pool.Mul(factors));
  }
  const ExprId numerator = pool.Add(scaled);
  const bool is_integer = numerator != ExprId::kNone && storage.IsInteger(numerator);
  return is_integer ? pool.Binary(rounding, numerator, denominator) : ExprId::kNone;
}

ExprId Round(ExprPool& pool, const Storage& storage, ExprKind rounding, ExprId operand) {
  if (storage.IsInteger(operand)) return operand;
  if (storage.kind(operand) == ExprKind::kTrueDiv) {
    return pool.Binary(rounding, operand, pool.Integer(1));
  }
  if (storage.kind(operand) == ExprKind::kAdd) {
    const ExprId rounded = RoundSum(pool, storage, rounding, operand);
    if (rounded != ExprId::kNone) return rounded;
  }
  return pool.Call(rounding == ExprKind::kFloorDiv ? "FloorToInt" : "CeilToInt", {&operand, 1});
}

// Piecewise((a, condition), (b, True)): Where, nested.
ExprId MakePiecewise(ExprPool& pool, const Storage& storage, std::span<const ExprId> pairs) {
  ExprId result = ExprId::kNone;
  for (size_t i = pairs.size(); i-- > 0;) {
    const bool is_pair =
        storage.kind(pairs[i]) == ExprKind::kCall && storage.name(pairs[i]) == kPairName;
    if (!is_pair) return ExprId::kNone;
    const ExprId value = storage.operands(pairs[i])[0];
    const ExprId condition = storage.operands(pairs[i])[1];
    if (storage.kind(condition) == ExprKind::kTrue) {
      result = value;
    } else if (result == ExprId::kNone) {
      return ExprId::kNone;  // without a default case it may have no value
    } else {
      const ExprId operands[] = {condition, value, result};
      result = ApplyFunction(pool, storage, "Where", operands);
    }
  }
  return result;
}

bool HasArity(Function function, size_t operands) {
  switch (function) {
    case Function::kAbs:
    case Function::kCeil:
    case Function::kFloor:
    case Function::kIdentity:
    case Function::kNot:
    case Function::kToInteger:
    case Function::kTruncate:
      return operands == 1;
    case Function::kModularIndexing:
    case Function::kWhere:
      return operands == 3;
    case Function::kAdd:
    case Function::kAnd:
    case Function::kMax:
    case Function::kMin:
    case Function::kMul:
    case Function::kOr:
    case Function::kPiecewise:
      return operands >= 1;
    default:
      return operands == 2;
  }
}

}  // namespace

bool IsNumeral(std::string_view name) {
  if (name.starts_with('-')) name.remove_prefix(1);
  return name == "inf" || name == "nan" ||
         (!name.empty() && (name.front() == '.' || (name.front() >= '0' && name.front() <= '9')));
}

NumberKind NumberKindOfCall(std::string_view name, const Storage& storage,
                            std::span<const ExprId> operands) {
  if (Contains(kIntegerCalls, name)) return NumberKind::kInteger;
  if (Contains(kFloatCalls, name) || name.starts_with("OpaqueUnaryFn_") || IsNumeral(name)) {
    return NumberKind::kFloat;
  }
  const bool has_float =
      std::any_of(operands.begin(), operands.end(), [&](ExprId id) { return storage.IsFloat(id); });
  if (has_float && Contains(kFloatOperators, name)) return NumberKind::kFloat;
  const bool is_integer = name == "Where" && operands.size() == 3 &&
                          storage.IsInteger(operands[1]) && storage.IsInteger(operands[2]);
  return is_integer ? NumberKind::kInteger : NumberKind::kRational;
}

ExprId ApplyFunction(ExprPool& pool, const Storage& storage, std::string_view name,
                     std::span<const ExprId> operands) {
  const auto* const entry = std::lower_bound(
      kFunctions.begin(), kFunctions.end(), name,
      [](const FunctionName& known, std::string_view wanted) { return known.name < wanted; });
  if (entry == kFunctions.end() || entry->name != name) return pool.Call(name, operands);
  if (std::find(operands.begin(), operands.end(), ExprId::kNone) != operands.end() ||
      !HasArity(entry->function, operands.size())) {
    return ExprId::kNone;
  }
  const auto binary = [&](ExprKind kind) { return pool.Binary(kind, operands[0], operands[1]); };
  const auto swapped = [&](ExprKind kind) { return pool.Binary(kind, operands[1], operands[0]); };
  switch (entry->function) {
    case Function::kAbs: {
      if (storage.IsFloat(operands[0])) return pool.Call("abs", operands);
      const ExprId either[] = {operands[0], pool.Negate(operands[0])};
      return pool.Fold(ExprKind::kMax, either);
    }
    case Function::kAdd:
      return pool.Add(operands);
    case Function::kAnd:
      return pool.Fold(ExprKind::kAnd, operands);
    case Function::kCeil:
      return Round(pool, storage, ExprKind::kCeilDiv, operands[0]);
    case Function::kCeilDiv:
      return binary(ExprKind::kCeilDiv);
    case Function::kEqual:
      return binary(ExprKind::kEqual);
    case Function::kFloor:
      return Round(pool, storage, ExprKind::kFloorDiv, operands[0]);
    case Function::kFloorDiv:
      return binary(ExprKind::kFloorDiv);
    case Function::kGreater:
      return swapped(ExprKind::kLess);
    case Function::kGreaterEqual:
      return swapped(ExprKind::kLessEqual);
    case Function::kIdentity:
      return operands[0];
    case Function::kLeftShift: {
      const ExprId factors[] = {operands[0],
                                pool.Binary(ExprKind::kPower, pool.Integer(2), operands[1])};
      return pool.Mul(factors);
    }
    case Function::kLess:
      return binary(ExprKind::kLess);
    case Function::kLessEqual:
      return binary(ExprKind::kLessEqual);
    case Function::kMax:
      return pool.Fold(ExprKind::kMax, operands);
    case Function::kMin:
      return pool.Fold(ExprKind::kMin, operands);
    case Function::kMod:
      return binary(ExprKind::kMod);
    case Function::kModularIndexing:
      return pool.Binary(ExprKind::kMod, binary(ExprKind::kFloorDiv), operands[2]);
    case Function::kMul:
      return pool.Mul(operands);
    case Function::kNot:
      return pool.Not(operands[0]);
    case Function::kNotEqual:
      return binary(ExprKind::kNotEqual);
    case Function::kOr:
      return pool.Fold(ExprKind::kOr, operands);
    case Function::kPiecewise:
      return MakePiecewise(pool, storage, operands);
    case Function::kPower:
      return binary(ExprKind::kPower);
    case Function::kRightShift:
      return pool.Binary(ExprKind::kFloorDiv, operands[0],
                         pool.Binary(ExprKind::kPower, pool.Integer(2), operands[1]));
    case Function::kToInteger:
    case Function::kTruncate:
      return storage.IsInteger(operands[0]) ? operands[0] : pool.Call("TruncToInt", operands);
    case Function::kTrueDiv:
      return binary(ExprKind::kTrueDiv);
    case Function::kWhere:
      if (storage.kind(operands[0]) == ExprKind::kTrue) return operands[1];
      if (storage.kind(operands[0]) == ExprKind::kFalse) return operands[2];
      return pool.Call("Where", operands);
  }
  return ExprId::kNone;
}

}  // namespace shapewise
