#include "symbolic/storage.h"

#include <algorithm>
#include <array>

#include "llvm/ADT/SmallVector.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;
using Operands = llvm::SmallVector<ExprId, 8>;

// How a function becomes an expression, by the number of operands it takes.
enum class Form : uint8_t {
  // one
  kAbs,
  kCeil,
  kFloor,
  kIdentity,
  kNot,
  kTruncate,
  // two
  kBinary,   ///< `kind` of the operands
  kSwapped,  ///< `kind` of the operands, the second first
  kLeftShift,
  kRightShift,
  // three
  kModularIndexing,
  kWhere,
  // one or more
  kFold,  ///< `kind` of the operands
  kPiecewise,
};

struct Function {
  std::string_view name;
  Form form;
  ExprKind kind = ExprKind::kNone;
};

// Sorted. Sources: torch/utils/_sympy/functions.py; printers.py (PythonPrinter, CppPrinter);
// torch/fx/experimental/sym_node.py; sympy's class names, which its srepr prints.
constexpr auto kFunctions = std::to_array<Function>({
    {"Abs", Form::kAbs},
    {"Add", Form::kFold, ExprKind::kAdd},
    {"And", Form::kFold, ExprKind::kAnd},
    {"CeilDiv", Form::kBinary, ExprKind::kCeilDiv},
    {"CeilToInt", Form::kCeil},
    {"CleanDiv", Form::kBinary, ExprKind::kFloorDiv},
    {"Eq", Form::kBinary, ExprKind::kEqual},
    {"Equality", Form::kBinary, ExprKind::kEqual},
    {"FloorDiv", Form::kBinary, ExprKind::kFloorDiv},
    {"FloorToInt", Form::kFloor},
    {"Ge", Form::kSwapped, ExprKind::kLessEqual},
    {"GreaterThan", Form::kSwapped, ExprKind::kLessEqual},
    {"Gt", Form::kSwapped, ExprKind::kLess},
    {"Identity", Form::kIdentity},
    {"IntTrueDiv", Form::kBinary, ExprKind::kTrueDiv},
    {"Integer", Form::kIdentity},
    {"LShift", Form::kLeftShift},
    {"Le", Form::kBinary, ExprKind::kLessEqual},
    {"LessThan", Form::kBinary, ExprKind::kLessEqual},
    {"Lt", Form::kBinary, ExprKind::kLess},
    {"Max", Form::kFold, ExprKind::kMax},
    {"Min", Form::kFold, ExprKind::kMin},
    {"Mod", Form::kBinary, ExprKind::kMod},
    {"ModularIndexing", Form::kModularIndexing},
    {"Mul", Form::kFold, ExprKind::kMul},
    {"Ne", Form::kBinary, ExprKind::kNotEqual},
    {"Not", Form::kNot},
    {"Or", Form::kFold, ExprKind::kOr},
    {"Piecewise", Form::kPiecewise},
    {"Pow", Form::kBinary, ExprKind::kPower},
    {"PowByNatural", Form::kBinary, ExprKind::kPower},
    {"PythonMod", Form::kBinary, ExprKind::kMod},
    {"RShift", Form::kRightShift},
    {"Rational", Form::kBinary, ExprKind::kTrueDiv},
    {"StrictGreaterThan", Form::kSwapped, ExprKind::kLess},
    {"StrictLessThan", Form::kBinary, ExprKind::kLess},
    {"Sym", Form::kIdentity},
    {"SymBool", Form::kIdentity},
    {"SymInt", Form::kIdentity},
    {"TruncToInt", Form::kTruncate},
    {"Unequality", Form::kBinary, ExprKind::kNotEqual},
    {"Where", Form::kWhere},
    {"abs", Form::kAbs},
    {"ceil", Form::kCeil},
    {"ceiling", Form::kCeil},
    {"div_floor_integer", Form::kBinary, ExprKind::kFloorDiv},
    {"div_mod", Form::kBinary, ExprKind::kMod},
    {"floor", Form::kFloor},
    {"int", Form::kTruncate},
    {"max", Form::kFold, ExprKind::kMax},
    {"min", Form::kFold, ExprKind::kMin},
    {"pow", Form::kBinary, ExprKind::kPower},
    {"sym_int", Form::kTruncate},
    {"sym_ite", Form::kWhere},
    {"sym_max", Form::kFold, ExprKind::kMax},
    {"sym_min", Form::kFold, ExprKind::kMin},
    {"sym_not", Form::kNot},
    {"trunc", Form::kTruncate},
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
    scaled.push_back(pool.Mul({denominator, term}));
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
      result = ApplyFunction(pool, storage, "Where", std::array{condition, value, result});
    }
  }
  return result;
}

bool HasArity(Form form, size_t operands) {
  if (form >= Form::kFold) return operands >= 1;
  return operands == (form >= Form::kModularIndexing ? 3 : form >= Form::kBinary ? 2 : 1);
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
      std::ranges::any_of(operands, [&](ExprId id) { return storage.IsFloat(id); });
  if (has_float && Contains(kFloatOperators, name)) return NumberKind::kFloat;
  const bool is_integer = name == "Where" && operands.size() == 3 &&
                          storage.IsInteger(operands[1]) && storage.IsInteger(operands[2]);
  return is_integer ? NumberKind::kInteger : NumberKind::kRational;
}

ExprId ApplyFunction(ExprPool& pool, const Storage& storage, std::string_view name,
                     std::span<const ExprId> operands) {
  const auto* const entry = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  if (entry == kFunctions.end() || entry->name != name) return pool.Call(name, operands);
  if (std::ranges::find(operands, ExprId::kNone) != operands.end() ||
      !HasArity(entry->form, operands.size())) {
    return ExprId::kNone;
  }
  const ExprId first = operands[0];
  const auto power_of_two = [&] {
    return pool.Binary(ExprKind::kPower, pool.Integer(2), operands[1]);
  };
  switch (entry->form) {
    case Form::kAbs:
      if (storage.IsFloat(first)) return pool.Call("abs", operands);
      return pool.Fold(ExprKind::kMax, {first, pool.Negate(first)});
    case Form::kCeil:
      return Round(pool, storage, ExprKind::kCeilDiv, first);
    case Form::kFloor:
      return Round(pool, storage, ExprKind::kFloorDiv, first);
    case Form::kIdentity:
      return first;
    case Form::kNot:
      return pool.Not(first);
    case Form::kTruncate:
      return storage.IsInteger(first) ? first : pool.Call("TruncToInt", operands);
    case Form::kSwapped:
      return pool.Binary(entry->kind, operands[1], first);
    case Form::kLeftShift:
      return pool.Mul({first, power_of_two()});
    case Form::kRightShift:
      return pool.Binary(ExprKind::kFloorDiv, first, power_of_two());
    case Form::kModularIndexing:
      return pool.Binary(ExprKind::kMod, pool.Binary(ExprKind::kFloorDiv, first, operands[1]),
                         operands[2]);
    case Form::kWhere:
      if (storage.kind(first) == ExprKind::kTrue) return operands[1];
      if (storage.kind(first) == ExprKind::kFalse) return operands[2];
      return pool.Call("Where", operands);
    case Form::kPiecewise:
      return MakePiecewise(pool, storage, operands);
    case Form::kBinary:
    case Form::kFold:
      return MakeOfKind(pool, entry->kind, operands);
  }
  return ExprId::kNone;
}

}  // namespace shapewise
