// Abstract values: what is known about the numbers at a position, and arithmetic on them.

#ifndef SHAPEWISE_SHAPES_FILL_H_
#define SHAPEWISE_SHAPES_FILL_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace shapewise {

/// A set of numbers. "Finite" means of ordinary magnitude: sums and products of such numbers do not
/// overflow, and a number of -1e4 or less next to them vanishes in a softmax or a maximum.
struct Fill {
  /// A kind of element that every line of a tensor contains.
  enum Line : uint8_t {
    kEveryPosition = 1,  ///< for kBelow: all positions, as in arange(n)
    kSomeTrue = 2,
    kSomeFalse = 4,
    kSomeOrdinary = 8,  ///< a number that is not very low
    kFirstTrue = 16,    ///< the first of the line is true; kSomeTrue is set as well
  };
  enum class Kind : uint8_t {
    kNumber,       ///< exactly `number`; false and true are 0 and 1
    kBelow,        ///< integers from 0 on, below the real size of the symbol
    kAtMost,       ///< integers that are not above the real size
    kIndex,        ///< integers from the real size on
    kPositive,     ///< finite, > 0
    kNegative,     ///< finite, < 0
    kNonNegative,  ///< finite, >= 0
    kFinite,       ///< any finite number
    kVeryLow,      ///< -1e4 or less, perhaps -inf: what masks add to scores
    kAny,          ///< perhaps infinite, perhaps not a number
  };
  Kind kind = Kind::kFinite;
  /// The unpadded program computes with these numbers as well: results there, even infinite ones,
  /// are not caused by padding.
  bool is_real = false;
  double number = 0;
  /// The set is only an upper bound. Otherwise padding can be chosen so that any number of the set
  /// occurs.
  bool is_bound = false;
  /// At real positions: some numbers may be as low as those that masks add to scores.
  bool has_low = false;
  /// At real positions: what every line along the last dim contains, a set of Line.
  uint8_t lines = 0;

  static Fill Number(double value) { return {Kind::kNumber, true, value}; }
  static Fill Of(Kind kind) { return {kind, false, 0}; }
  static Fill FiniteIf(bool is_finite) { return Of(is_finite ? Kind::kFinite : Kind::kAny); }
  static Fill Real() { return {Kind::kFinite, true, 0}; }

  bool IsNumber(double value) const { return kind == Kind::kNumber && number == value; }
  bool IsFinite() const;
  bool IsVeryLow() const;  ///< also the numbers that are
  bool IsPositive() const;
  bool IsNegative() const;
  bool IsNonNegative() const;
  /// Whether padding can be chosen so that any number of the set occurs here.
  bool IsShown() const { return kind == Kind::kNumber || !is_bound; }
  bool MayBeLow() const;  ///< whether some numbers may be very low
  /// Whether all numbers of a line may be very low, as in a fully masked row.
  bool MayBeLowEverywhere() const;

  friend bool operator==(const Fill&, const Fill&) = default;
};

/// The smallest set here that contains both.
Fill Join(const Fill& a, const Fill& b);

/// The same at positions that padding affects: the unpadded program does not compute with the
/// numbers there, unless it is a single one.
Fill JoinPadding(const Fill& a, const Fill& b);

/// Any finite number if all in `fill` are finite, else anything.
inline Fill FiniteLike(const Fill& fill) { return Fill::FiniteIf(fill.IsFinite()); }

/// The same, but 0 for 0.
inline Fill FiniteOrZeroLike(const Fill& fill) {
  return fill.IsNumber(0) ? fill : FiniteLike(fill);
}

/// Functions of single elements. Operands are given in the order of the operator's arguments.
enum class Pointwise : uint8_t {
  // one operand
  kIdentity,
  kNegate,
  kNot,
  kExp,
  kLog,
  kLog1p,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kSquare,
  kAbs,
  kRelu,
  kSigmoid,
  kTanh,
  kToBool,
  kZeroKeeping,      ///< finite of finite, 0 of 0: sin, gelu, silu, round ...
  kBounded,          ///< finite of finite: log_sigmoid, hardtanh ...
  kUnit,             ///< between -1 and 1 of finite: cos, hardsigmoid ...
  kUnitZeroKeeping,  ///< the same, and 0 of 0: sin, erf ...
  kPositive,         ///< finite and > 0 of finite: softplus, cosh ...
  // two
  kAdd,
  kSubtract,
  kReverseSubtract,
  kMultiply,
  kDivide,
  kPower,
  kMaximum,
  kMinimum,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  // three
  kWhere,       ///< condition, then, else
  kMaskedFill,  ///< input, mask, value
  kClamp,       ///< input, lower bound or none, upper bound or none
  // any number
  kLinear,  ///< sums of products that contain a factor 0 if all operands are 0: addcmul, lerp, fma
  kGradient,  ///< the first operand times finite functions of the others: backward formulas
  kTest,      ///< true or false: isnan, isinf, bitwise operators of integers
  kPartial,   ///< may produce infinite numbers: acos, tan, lgamma, floor_divide ...
};

/// How many operands `function` takes; SIZE_MAX: all that are tensors or numbers.
size_t Arity(Pointwise function);

Fill Evaluate(Pointwise function, std::span<const Fill> operands);

/// How elements along dims are combined into one.
enum class Reduction : uint8_t {
  kSum,
  kMean,
  kProduct,
  kMax,
  kMin,
  kAny,
  kAll,
  kArgMax,
  kArgMin,
  kLogSumExp,
  kVariance,  ///< also the standard deviation
  kNorm,
  kCountNonzero,
  kMedian,  ///< and other order statistics
};

/// The result if all combined elements are in `fill`.
Fill Reduce(Reduction reduction, const Fill& fill);

/// Whether elements in `fill`, next to others in `real`, leave the result unchanged.
bool IsNeutral(Reduction reduction, const Fill& fill, const Fill& real);

/// The fill at padded positions that leaves the result unchanged; absent for reductions that divide
/// by the number of elements.
const char* NeutralText(Reduction reduction);

/// Next to finite numbers of ordinary magnitude, exp(-1e4) is 0 in every floating-point type.
constexpr double kVeryLowNumber = -1e4;

/// The result of a function. `is_real`, `is_bound`, `has_low` and `lines` are not those of the
/// result.
Fill EvaluateKinds(Pointwise function, std::span<const Fill> operands);

/// `fill`, marked as numbers that the unpadded program also computes with.
Fill AsReal(Fill fill);

bool AllFinite(std::span<const Fill> operands);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_FILL_H_
