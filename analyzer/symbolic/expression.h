// Symbolic sizes: integer expressions over symbols as PyTorch prints them, each stored once.

#ifndef SHAPEWISE_SYMBOLIC_EXPRESSION_H_
#define SHAPEWISE_SYMBOLIC_EXPRESSION_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// Identifies an expression in an ExprPool. Equal ids mean equal expressions; the reverse does not
/// hold: two expressions that always have the same value may have different ids.
enum class ExprId : uint32_t {
  kNone = 0,  ///< no expression: absent, or unparsable
};

/// Kinds of expressions. Integer-valued kinds first, then truth values.
enum class ExprKind : uint8_t {
  kNone,      ///< of ExprId::kNone
  kInteger,   ///< a constant: value()
  kInfinity,  ///< int_oo: no bound; value() is 1 or -1
  kSymbol,    ///< a symbol or a source: name(): "s77", "u0", "L['x'].size()[0]"
  kAdd,       ///< sum of two or more
  kMul,       ///< product of two or more; a constant factor comes first
  kFloorDiv,  ///< a // b, rounded towards minus infinity
  kCeilDiv,   ///< -(-a // b)
  kTrueDiv,   ///< a / b, an integer only if b divides a
  kMod,       ///< a % b with the sign of b, as in Python: Mod, PythonMod
  kPower,     ///< a ** b
  kMin,       ///< least of two or more
  kMax,       ///< greatest of two or more
  kCall,      ///< any other function name() of its operands, with an unknown value
  kTrue,
  kFalse,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,  ///< a > b and a >= b are stored as b < a and b <= a
  kAnd,        ///< of two or more
  kOr,         ///< of two or more
  kNot,  ///< of a kCall or a kSymbol used as a truth value; other negations are pushed inwards
};

/// Whether expressions of `kind` are truth values (kCall and kSymbol count as integers).
constexpr bool IsPredicate(ExprKind kind) { return kind >= ExprKind::kTrue; }

/// Expressions by id, hash-consed. Construction simplifies only where the result is certain for all
/// integers for which the original has a value: it folds constants (unless they overflow 64 bits),
/// flattens sums and products, collects like terms, sorts operands of commutative kinds, and
/// removes repeated operands of Min, Max, And and Or. Operations on floats become kCall,
/// unsimplified. Anything built from kNone, or nested deeper than 512, is kNone. Memory grows with
/// distinct expressions. Not thread-safe. Design: analyzer/docs/symbolic-sizes.md.
class ExprPool {
 public:
  struct Storage;  ///< for the sources of this module

  ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;
  ~ExprPool();

  ExprId Integer(int64_t value);
  ExprId Infinity(bool is_negative);
  ExprId Symbol(std::string_view name);
  ExprId Bool(bool value);
  ExprId Add(std::span<const ExprId> terms);
  ExprId Mul(std::span<const ExprId> factors);
  ExprId Negate(ExprId operand);
  ExprId Subtract(ExprId left, ExprId right);
  /// kFloorDiv, kCeilDiv, kTrueDiv, kMod, kPower, kEqual, kNotEqual, kLess, kLessEqual.
  ExprId Binary(ExprKind kind, ExprId left, ExprId right);
  /// kMin, kMax, kAnd, kOr.
  ExprId Fold(ExprKind kind, std::span<const ExprId> operands);
  ExprId Not(ExprId predicate);
  ExprId Call(std::string_view name, std::span<const ExprId> operands);
  /// The same, of operands in braces: Mul({a, b}).
  ExprId Add(std::initializer_list<ExprId> terms) { return Add(std::span(terms)); }
  ExprId Mul(std::initializer_list<ExprId> factors) { return Mul(std::span(factors)); }
  ExprId Fold(ExprKind kind, std::initializer_list<ExprId> operands) {
    return Fold(kind, std::span(operands));
  }

  /// Parses an expression or predicate as PyTorch prints it: Python's operators with their
  /// precedence (`//`, `%`, `**`, `and`, `or`, `not`, chains such as `2 <= s0 <= 64`), functions of
  /// sympy and torch (`FloorDiv`, `CeilDiv`, `CleanDiv`, `Mod`, `PythonMod`, `Min`, `Max`, `Eq`,
  /// `Ne`, `Lt`, `Le`, `Gt`, `Ge`, `And`, `Or`, `Not`, `IntTrueDiv`, `PowByNatural` ...), `int_oo`,
  /// and sources, which become symbols: `L['x'].size()[0]`, `self.width`, `x.stride()[1]`. Sympy's
  /// srepr form is one of calls: `Mul(Integer(2), Symbol('s77', positive=True))`. Unknown functions
  /// become kCall. kNone: not an expression, more than 256 KiB, brackets nested deeper
  /// than 256, or far more work than its length suggests. Text after '#' is a comment. Source:
  /// torch/utils/_sympy/{functions,printers}.py, releases 2.0 to 2.13.
  ExprId Parse(std::string_view text);

  ExprKind kind(ExprId id) const;
  int64_t value(ExprId id) const;                     ///< for kInteger, kInfinity
  std::string_view name(ExprId id) const;             ///< for kSymbol, kCall
  std::span<const ExprId> operands(ExprId id) const;  ///< valid as long as the pool

  /// Whether `id` is an integer or a truth value for all integer values of its symbols. False for
  /// quotients, floats, and unknown functions.
  bool IsInteger(ExprId id) const;

  /// As PyTorch prints it: "2*s1 + 1", "(s77//2)", "Mod(s0, 8)", "Eq(s0, 8)", "s0 <= 64". Parse
  /// returns `id` for it, except for extreme nesting.
  std::string ToText(ExprId id) const;

  /// The distinct symbols in `id`, in order of first occurrence.
  std::vector<ExprId> SymbolsOf(ExprId id) const;

  /// `id` with each symbol replaced by the result of `replacement` (kNone: unchanged).
  ExprId Substitute(ExprId id, const std::function<ExprId(ExprId symbol)>& replacement);

  /// The value of `id` with the symbol values of `value_of`; truth values are 1 and 0. Absent: a
  /// symbol without a value, a kCall, a division by zero, a kTrueDiv with a remainder, or a 64-bit
  /// overflow.
  std::optional<int64_t> Evaluate(
      ExprId id, const std::function<std::optional<int64_t>(ExprId symbol)>& value_of) const;

 private:
  std::unique_ptr<Storage> storage_;
};

/// The value of `expression` with the symbol values of `value_of`, computed in floats as in Python:
/// sums, products, quotients, comparisons (1 and 0), trunc, floor, ceil, min, max, and conversions
/// to float. Absent: anything else, a symbol without a value, a division by zero, or an integer of
/// at least 2^53, which a float may not represent.
std::optional<double> EvaluateNumber(
    const ExprPool& pool, ExprId expression,
    const std::function<std::optional<double>(ExprId symbol)>& value_of);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_EXPRESSION_H_
