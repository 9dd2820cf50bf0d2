// What is known of the numbers at a place, and what arithmetic makes of it.

#ifndef SHAPEWISE_SHAPES_FILL_H_
#define SHAPEWISE_SHAPES_FILL_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace shapewise {

/// A set of numbers. "Finite" is meant with ordinary magnitude: sums and products of such numbers
/// do not overflow, and a number of -1e4 or less beside them is lost in a softmax or a maximum.
struct Fill {
  /// An element that no line of a tensor lacks.
  enum Line : uint8_t {
    kEveryPosition = 1,  ///< of kBelow: all positions, as arange(n) has them
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
  /// The unpadded program computes with these numbers as well: what becomes of them there, be it
  /// infinite, is no surprise here.
  bool is_real = false;
  double number = 0;
  /// The set is only a bound: fewer numbers may occur. Otherwise padding can be chosen so that any
  /// number of the set occurs.
  bool is_bound = false;
  /// Real positions: some numbers may be as low as those that masks add to scores.
  bool has_low = false;
  /// Real positions: what every line along the last dim has, a set of Line.
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
  /// Whether all numbers of a line may be very low, as in a row that a mask leaves nothing of.
  bool MayBeLowEverywhere() const;

  friend bool operator==(const Fill&, const Fill&) = default;
};

/// The least set here that holds both.
Fill Join(const Fill& a, const Fill& b);

/// Functions of single elements. Operands are given in the order of the operator's arguments.
enum class Pointwise : uint8_t {
  kIdentity,
  kNegate,
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
  kNot,
  kWhere,       ///< condition, then, else
  kMaskedFill,  ///< input, mask, value
  kClamp,       ///< input, least or none, most or none
  kExp,
  kLog,
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
  kLog1p,
  kLinear,    ///< sums of products in which each has a factor 0 if all are 0: addcmul, lerp, fma
  kGradient,  ///< the first operand times finite functions of the others: backward formulas
  kTest,      ///< true or false: isnan, isinf, bitwise operators of integers
  kPartial,   ///< may leave the finite numbers: acos, tan, lgamma, floor_divide ...
};

/// How many operands `function` takes; SIZE_MAX: all that are tensors or numbers.
size_t Arity(Pointwise function);

Fill Evaluate(Pointwise function, std::span<const Fill> operands);

/// How elements along dims become one.
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

/// The result when all elements that come together are in `fill`.
Fill Reduce(Reduction reduction, const Fill& fill);

/// Whether elements in `fill` beside others in `real` do not change the result.
bool IsNeutral(Reduction reduction, const Fill& fill, const Fill& real);

/// What must stand at padded positions that they do not change the result; absent for those that
/// divide by the number of elements.
const char* NeutralText(Reduction reduction);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_FILL_H_
