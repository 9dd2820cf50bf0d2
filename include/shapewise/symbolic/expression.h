// Symbolic sizes: integer expressions over symbols as PyTorch prints them, each stored once.

#ifndef SHAPEWISE_SYMBOLIC_EXPRESSION_H_
#define SHAPEWISE_SYMBOLIC_EXPRESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// Names one expression of one ExprPool. Equal ids, equal expressions (the reverse does not hold:
/// two expressions that always have the same value may differ).
enum class ExprId : uint32_t {
  kNone = 0,  ///< no expression: absent, or a text that could not be read
};

/// What an expression is made of. Integer-valued kinds first, then truth values.
enum class ExprKind : uint8_t {
  kNone,      ///< of ExprId::kNone
  kInteger,   ///< a constant: value()
  kInfinity,  ///< int_oo: no bound; value() is 1 or -1
  kSymbol,    ///< a symbol or a source: name(): "s77", "u0", "L['x'].size()[0]"
  kAdd,       ///< sum of two or more
  kMul,       ///< product of two or more; a constant factor stands first
  kFloorDiv,  ///< a // b, rounded towards minus infinity
  kCeilDiv,   ///< -(-a // b)
  kTrueDiv,   ///< a / b, no integer unless b divides a
  kMod,       ///< a % b with the sign of b, as in Python: Mod, PythonMod
  kPower,     ///< a ** b
  kMin,       ///< least of two or more
  kMax,       ///< greatest of two or more
  kCall,      ///< any other function name() of its operands: nothing is known of its value
  kTrue,
  kFalse,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,  ///< a > b and a >= b are stored as b < a and b <= a
  kAnd,        ///< of two or more
  kOr,         ///< of two or more
  kNot,  ///< of a kCall or a kSymbol that is used as a truth value; other negations are pushed in
};

/// Whether expressions of `kind` are truth values (kCall and kSymbol are taken for integers).
constexpr bool IsPredicate(ExprKind kind) { return kind >= ExprKind::kTrue; }

/// Expressions by id, hash-consed. Construction simplifies what is certain for all integers,
/// wherever the expression as given has a value: constants are folded (unless they overflow 64
/// bits), sums and products are flattened, like terms collected, operands of commutative kinds
/// ordered; Min, Max, And and Or lose repeated operands. Operations on floats become kCall,
/// unsimplified. What is made of kNone, or nested deeper than 512, is kNone. Memory grows with the
/// distinct expressions. Not thread-safe. The design: analyzer/docs/symbolic-sizes.md.
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

  /// Reads an expression or predicate as PyTorch prints it: Python's operators with their
  /// precedence (`//`, `%`, `**`, `and`, `or`, `not`, chains such as `2 <= s0 <= 64`), sympy's and
  /// torch's functions (`FloorDiv`, `CeilDiv`, `CleanDiv`, `Mod`, `PythonMod`, `Min`, `Max`, `Eq`,
  /// `Ne`, `Lt`, `Le`, `Gt`, `Ge`, `And`, `Or`, `Not`, `IntTrueDiv`, `PowByNatural` ...), `int_oo`,
  /// and sources, which become symbols: `L['x'].size()[0]`, `self.width`, `x.stride()[1]`.
  /// Unknown functions become kCall. kNone: not an expression, more than 256 KiB, brackets nested
  /// deeper than 256, or one that takes far more work than its length promises. What follows '#' is
  /// a comment.
  /// Source: torch/utils/_sympy/{functions,printers}.py, releases 2.0 to 2.13.
  ExprId Parse(std::string_view text);

  /// Reads sympy's srepr form: "Mul(Integer(2), Symbol('s77', positive=True, integer=True))".
  ExprId ParseSrepr(std::string_view text);

  ExprKind kind(ExprId id) const;
  int64_t value(ExprId id) const;                     ///< of kInteger, kInfinity
  std::string_view name(ExprId id) const;             ///< of kSymbol, kCall
  std::span<const ExprId> operands(ExprId id) const;  ///< stays valid as long as the pool

  /// Whether `id` is an integer or a truth value, whatever integers its symbols stand for. False
  /// for quotients, floats, and functions of which nothing is known.
  bool IsInteger(ExprId id) const;

  /// As PyTorch prints it: "2*s1 + 1", "(s77//2)", "Mod(s0, 8)", "Eq(s0, 8)", "s0 <= 64". Parse
  /// reads it as `id`, but for the deepest nestings.
  std::string ToText(ExprId id) const;

  /// The distinct symbols in `id`, in the order in which they first stand there.
  std::vector<ExprId> SymbolsOf(ExprId id) const;

  /// `id` with each symbol replaced by what `replacement` gives for it (kNone: left as it is).
  ExprId Substitute(ExprId id, const std::function<ExprId(ExprId symbol)>& replacement);

  /// The value of `id` when its symbols have the values that `value_of` gives; truth values are 1
  /// and 0. Absent: a symbol without value, a kCall, a division by zero or that leaves a remainder
  /// in kTrueDiv, or an overflow of 64 bits.
  std::optional<int64_t> Evaluate(
      ExprId id, const std::function<std::optional<int64_t>(ExprId symbol)>& value_of) const;

 private:
  std::unique_ptr<Storage> storage_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_EXPRESSION_H_
