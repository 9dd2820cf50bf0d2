#include <cmath>
#include <limits>
#include <optional>

#include "shapes/fill.h"

namespace shapewise {
namespace {

using Kind = Fill::Kind;

Fill FromNumber(double value) {
  return std::isnan(value) ? Fill::Of(Kind::kAny) : Fill::Number(value);
}

bool BothNumbers(const Fill& a, const Fill& b) {
  return a.kind == Kind::kNumber && b.kind == Kind::kNumber;
}

Fill Negate(const Fill& a) {
  switch (a.kind) {
    case Kind::kNumber:
      return Fill::Number(a.number == 0 ? 0 : -a.number);
    case Kind::kPositive:
    case Kind::kIndex:
      return Fill::Of(Kind::kNegative);
    case Kind::kNegative:
      return Fill::Of(Kind::kPositive);
    case Kind::kVeryLow:
    case Kind::kAny:
      return Fill::Of(Kind::kAny);
    case Kind::kBelow:
    case Kind::kAtMost:
    case Kind::kNonNegative:
    case Kind::kFinite:
      return Fill::Of(Kind::kFinite);
  }
  return Fill::Of(Kind::kAny);
}

Fill Add(const Fill& a, const Fill& b) {
  if (BothNumbers(a, b)) return FromNumber(a.number + b.number);
  if (a.IsNumber(0)) return b;
  if (b.IsNumber(0)) return a;
  // Only an infinite number changes -inf.
  const auto is_lowest = [](const Fill& fill) {
    return fill.IsNumber(-std::numeric_limits<double>::infinity());
  };
  if (is_lowest(a) && (b.IsFinite() || b.IsVeryLow())) return a;
  if (is_lowest(b) && (a.IsFinite() || a.IsVeryLow())) return b;
  // A number of extraordinary magnitude can make a low number ordinary.
  const auto lifts = [](const Fill& fill) {
    return fill.kind == Kind::kNumber && fill.number >= -kVeryLowNumber;
  };
  if ((a.IsVeryLow() && lifts(b)) || (b.IsVeryLow() && lifts(a))) return Fill::Of(Kind::kAny);
  if ((a.IsVeryLow() && (b.IsFinite() || b.IsVeryLow())) || (b.IsVeryLow() && a.IsFinite())) {
    return Fill::Of(Kind::kVeryLow);
  }
  if (!a.IsFinite() || !b.IsFinite()) return Fill::Of(Kind::kAny);
  if ((a.kind == Kind::kIndex && b.IsNonNegative()) ||
      (b.kind == Kind::kIndex && a.IsNonNegative())) {
    return Fill::Of(Kind::kIndex);
  }
  if (a.IsNonNegative() && b.IsNonNegative()) {
    return Fill::Of(a.IsPositive() || b.IsPositive() ? Kind::kPositive : Kind::kNonNegative);
  }
  if (a.IsNegative() && b.IsNegative()) return Fill::Of(Kind::kNegative);
  return Fill::Of(Kind::kFinite);
}

Fill Subtract(const Fill& a, const Fill& b) {
  if (b.kind == Kind::kIndex) {
    if (a.kind == Kind::kBelow) return Fill::Of(Kind::kNegative);
  }
  if (a.kind == Kind::kIndex) {
    if (b.kind == Kind::kBelow) return Fill::Of(Kind::kPositive);
    if (b.kind == Kind::kAtMost) return Fill::Of(Kind::kNonNegative);
  }
  return Add(a, Negate(b));
}

Fill Multiply(const Fill& a, const Fill& b) {
  if (BothNumbers(a, b)) return FromNumber(a.number * b.number);
  if (a.IsNumber(0) || b.IsNumber(0)) {
    const Fill& other = a.IsNumber(0) ? b : a;
    return other.IsFinite() ? Fill::Number(0) : Fill::Of(Kind::kAny);
  }
  if (a.IsNumber(1)) return b;
  if (b.IsNumber(1)) return a;
  const auto keeps_low = [](const Fill& low, const Fill& factor) {
    return low.IsVeryLow() && factor.kind == Kind::kNumber && factor.number >= 1 &&
           std::isfinite(factor.number);
  };
  if (keeps_low(a, b) || keeps_low(b, a)) return Fill::Of(Kind::kVeryLow);
  if (!a.IsFinite() || !b.IsFinite()) return Fill::Of(Kind::kAny);
  if (a.IsNonNegative() && b.IsNonNegative()) {
    return Fill::Of(a.IsPositive() && b.IsPositive() ? Kind::kPositive : Kind::kNonNegative);
  }
  if ((a.IsPositive() && b.IsNegative()) || (a.IsNegative() && b.IsPositive())) {
    return Fill::Of(Kind::kNegative);
  }
  return Fill::Of(Kind::kFinite);
}

Fill Reciprocal(const Fill& a) {
  if (a.kind == Kind::kNumber) {
    return a.number == 0 ? Fill::Of(Kind::kAny) : Fill::Number(1 / a.number);
  }
  if (a.IsPositive()) return Fill::Of(Kind::kPositive);
  if (a.IsNegative()) return Fill::Of(Kind::kNegative);
  // Denominators of the unpadded program are assumed to be nonzero.
  return a.is_real ? Fill::Real() : Fill::Of(Kind::kAny);
}

// Absent: unknown.
std::optional<bool> IsLess(const Fill& a, const Fill& b) {
  if (BothNumbers(a, b)) return a.number < b.number;
  if (b.kind == Kind::kIndex && a.kind == Kind::kBelow) return true;
  if (a.kind == Kind::kIndex && (b.kind == Kind::kBelow || b.kind == Kind::kAtMost)) return false;
  if (a.IsVeryLow() && b.kind == Kind::kNumber && b.number > kVeryLowNumber) return true;
  if (b.IsVeryLow() && a.kind == Kind::kNumber && a.number > kVeryLowNumber) return false;
  if (b.kind == Kind::kNumber) {
    if (a.IsNegative() && b.number >= 0) return true;
    if (a.IsNonNegative() && b.number <= 0) return false;
  }
  if (a.kind == Kind::kNumber) {
    if (b.IsPositive() && a.number <= 0) return true;
    if (b.IsNegative() && a.number >= 0) return false;
  }
  return std::nullopt;
}

std::optional<bool> IsEqual(const Fill& a, const Fill& b) {
  if (BothNumbers(a, b)) return a.number == b.number;
  if (IsLess(a, b) == true || IsLess(b, a) == true) return false;
  return std::nullopt;
}

Fill Truth(std::optional<bool> value) {
  return value ? Fill::Number(*value ? 1 : 0) : Fill::Of(Kind::kNonNegative);
}

std::optional<bool> Inverted(std::optional<bool> value) {
  if (value) return !*value;
  return std::nullopt;
}

Fill Maximum(const Fill& a, const Fill& b) {
  if (BothNumbers(a, b)) return Fill::Number(std::fmax(a.number, b.number));
  if (a.IsVeryLow() && b.kind == Kind::kNumber && b.number > kVeryLowNumber) return b;
  if (b.IsVeryLow() && a.kind == Kind::kNumber && a.number > kVeryLowNumber) return a;
  if (a.kind == Kind::kAny || b.kind == Kind::kAny) return Fill::Of(Kind::kAny);
  if (a.IsPositive() || b.IsPositive()) return Fill::Of(Kind::kPositive);
  if (a.IsNonNegative() || b.IsNonNegative()) return Fill::Of(Kind::kNonNegative);
  return Join(a, b);
}

Fill Minimum(const Fill& a, const Fill& b) {
  if (BothNumbers(a, b)) return Fill::Number(std::fmin(a.number, b.number));
  if (a.kind == Kind::kAny || b.kind == Kind::kAny) return Fill::Of(Kind::kAny);
  if (a.IsVeryLow() || b.IsVeryLow()) return Fill::Of(Kind::kVeryLow);
  if (a.IsNegative() || b.IsNegative()) return Fill::Of(Kind::kNegative);
  return Join(a, b);
}

Fill Power(const Fill& base, const Fill& exponent) {
  if (BothNumbers(base, exponent)) return FromNumber(std::pow(base.number, exponent.number));
  if (exponent.kind == Kind::kNumber) {
    const double power = exponent.number;
    if (power > 0 && base.IsNumber(0)) return Fill::Number(0);
    if (base.IsPositive()) return Fill::Of(Kind::kPositive);
    if (power > 0 && base.IsNonNegative()) return Fill::Of(Kind::kNonNegative);
    if (power > 0 && std::floor(power) == power && base.IsFinite()) {
      return Fill::Of(std::fmod(power, 2) == 0 ? Kind::kNonNegative : Kind::kFinite);
    }
    return Fill::Of(Kind::kAny);
  }
  if (base.IsPositive() && exponent.IsFinite()) return Fill::Of(Kind::kPositive);
  return Fill::Of(Kind::kAny);
}

// Functions of one operand that is not an exact number with a special rule.
Fill Unary(Pointwise function, const Fill& a) {
  const bool number = a.kind == Kind::kNumber;
  switch (function) {
    case Pointwise::kExp:
      if (number) return FromNumber(std::exp(a.number));
      if (a.IsVeryLow()) return Fill::Number(0);
      if (a.kind == Kind::kAny) return a;
      return Fill::Of(Kind::kPositive);
    case Pointwise::kLog:
      if (number && a.number > 0) return FromNumber(std::log(a.number));
      if (a.IsNumber(0)) return Fill::Number(-std::numeric_limits<double>::infinity());
      return Fill::Of(a.IsPositive() ? Kind::kFinite : Kind::kAny);
    case Pointwise::kLog1p:
      if (a.IsNumber(0)) return a;
      return Fill::Of(a.IsNonNegative() ? Kind::kNonNegative : Kind::kAny);
    case Pointwise::kSqrt:
      if (number) return FromNumber(std::sqrt(a.number));
      if (a.IsPositive()) return Fill::Of(Kind::kPositive);
      return Fill::Of(a.IsNonNegative() ? Kind::kNonNegative : Kind::kAny);
    case Pointwise::kRsqrt:
      return Reciprocal(Unary(Pointwise::kSqrt, a));
    case Pointwise::kSquare:
      if (number) return FromNumber(a.number * a.number);
      if (a.kind == Kind::kAny || a.kind == Kind::kVeryLow) return Fill::Of(Kind::kAny);
      return Fill::Of(a.IsPositive() || a.IsNegative() ? Kind::kPositive : Kind::kNonNegative);
    case Pointwise::kAbs:
      if (number) return Fill::Number(std::fabs(a.number));
      if (!a.IsFinite()) return Fill::Of(Kind::kAny);
      return Fill::Of(a.IsPositive() || a.IsNegative() ? Kind::kPositive : Kind::kNonNegative);
    case Pointwise::kRelu:
      if (number) return Fill::Number(std::fmax(a.number, 0));
      if (a.IsVeryLow() || a.IsNegative()) return Fill::Number(0);
      if (a.kind == Kind::kAny) return a;
      return Fill::Of(a.IsPositive() ? Kind::kPositive : Kind::kNonNegative);
    case Pointwise::kSigmoid:
      if (number && a.number == -std::numeric_limits<double>::infinity()) return Fill::Number(0);
      if (a.IsVeryLow()) return Fill::Number(0);
      if (a.kind == Kind::kAny) return a;
      return Fill::Of(Kind::kPositive);
    case Pointwise::kTanh:
      if (number) return FromNumber(std::tanh(a.number));
      if (a.IsVeryLow()) return Fill::Number(-1);
      if (a.kind == Kind::kAny) return a;
      return Fill::Of(Kind::kFinite);
    case Pointwise::kToBool:
      if (number) return Fill::Number(a.number != 0 ? 1 : 0);
      if (a.IsPositive() || a.IsNegative() || a.IsVeryLow()) return Fill::Number(1);
      return Fill::Of(Kind::kNonNegative);
    case Pointwise::kZeroKeeping:
    case Pointwise::kUnitZeroKeeping:
      if (a.IsNumber(0)) return a;
      return Fill::Of(a.IsFinite() ? Kind::kFinite : Kind::kAny);
    case Pointwise::kPositive:
      return Fill::Of(a.IsFinite() ? Kind::kPositive : Kind::kAny);
    default:  // kBounded, kUnit
      return Fill::Of(a.IsFinite() ? Kind::kFinite : Kind::kAny);
  }
}

Fill Several(Pointwise function, std::span<const Fill> operands) {
  switch (function) {
    case Pointwise::kLinear: {
      bool all_zero = true;
      for (const Fill& operand : operands) all_zero &= operand.IsNumber(0);
      if (all_zero) return Fill::Number(0);
      break;
    }
    case Pointwise::kGradient:
      if (!operands.empty() && operands[0].IsNumber(0) && AllFinite(operands)) {
        return Fill::Number(0);
      }
      break;
    case Pointwise::kTest:
      return Fill::Of(Kind::kNonNegative);
    case Pointwise::kPartial:
      return Fill::Of(Kind::kAny);
    default:
      break;
  }
  return Fill::Of(AllFinite(operands) ? Kind::kFinite : Kind::kAny);
}

Fill Binary(Pointwise function, const Fill& a, const Fill& b) {
  switch (function) {
    case Pointwise::kAdd:
      return Add(a, b);
    case Pointwise::kSubtract:
      return Subtract(a, b);
    case Pointwise::kReverseSubtract:
      return Subtract(b, a);
    case Pointwise::kMultiply:
      return Multiply(a, b);
    case Pointwise::kDivide:
      return Multiply(a, Reciprocal(b));
    case Pointwise::kPower:
      return Power(a, b);
    case Pointwise::kMaximum:
      return Maximum(a, b);
    case Pointwise::kMinimum:
      return Minimum(a, b);
    case Pointwise::kEqual:
      return Truth(IsEqual(a, b));
    case Pointwise::kNotEqual:
      return Truth(Inverted(IsEqual(a, b)));
    case Pointwise::kLess:
      return Truth(IsLess(a, b));
    case Pointwise::kGreaterEqual:
      return Truth(Inverted(IsLess(a, b)));
    case Pointwise::kGreater:
      return Truth(IsLess(b, a));
    case Pointwise::kLessEqual:
      return Truth(Inverted(IsLess(b, a)));
    case Pointwise::kAnd:
      if (a.IsNumber(0) || b.IsNumber(0)) return Fill::Number(0);
      if (a.IsNumber(1) && b.IsNumber(1)) return a;
      return Truth(std::nullopt);
    default:  // kOr
      if (a.IsNumber(1) || b.IsNumber(1)) return Fill::Number(1);
      if (a.IsNumber(0)) return b;
      if (b.IsNumber(0)) return a;
      return Truth(std::nullopt);
  }
}

using Kind = Fill::Kind;

Fill ReduceKinds(Reduction reduction, const Fill& fill) {
  switch (reduction) {
    case Reduction::kSum:
      if (fill.IsNumber(0) || fill.IsVeryLow()) {
        return fill.IsNumber(0) ? fill : Fill::Of(Kind::kVeryLow);
      }
      if (fill.IsPositive()) return Fill::Of(Kind::kPositive);
      if (fill.IsNegative()) return Fill::Of(Kind::kNegative);
      if (fill.IsNonNegative()) return Fill::Of(Kind::kNonNegative);
      return Fill::Of(fill.IsFinite() ? Kind::kFinite : Kind::kAny);
    case Reduction::kMean:
    case Reduction::kMax:
    case Reduction::kMin:
    case Reduction::kAny:
    case Reduction::kAll:
    case Reduction::kMedian:
      return fill;
    case Reduction::kProduct:
      if (fill.IsNumber(0) || fill.IsNumber(1)) return fill;
      if (fill.IsPositive()) return Fill::Of(Kind::kPositive);
      return Fill::Of(fill.IsFinite() ? Kind::kFinite : Kind::kAny);
    case Reduction::kArgMax:
    case Reduction::kArgMin:
      return Fill::Of(Kind::kNonNegative);
    case Reduction::kLogSumExp:
      if (fill.IsVeryLow()) return Fill::Of(Kind::kVeryLow);
      return Fill::Of(fill.IsFinite() ? Kind::kFinite : Kind::kAny);
    case Reduction::kVariance:
      return Fill::Of(fill.IsFinite() ? Kind::kNonNegative : Kind::kAny);
    case Reduction::kNorm:
    case Reduction::kCountNonzero:
      if (fill.IsNumber(0)) return fill;
      return Fill::Of(fill.IsFinite() ? Kind::kNonNegative : Kind::kAny);
  }
  return Fill::Of(Kind::kAny);
}

}  // namespace

bool AllFinite(std::span<const Fill> operands) {
  for (const Fill& operand : operands) {
    if (!operand.IsFinite()) return false;
  }
  return true;
}

Fill AsReal(Fill fill) {
  if (fill.kind == Kind::kAny) fill.kind = Kind::kFinite;
  fill.is_real = true;
  return fill;
}

Fill EvaluateKinds(Pointwise function, std::span<const Fill> operands) {
  if (operands.empty()) return Fill::Of(Kind::kAny);
  const Fill& first = operands[0];
  switch (function) {
    case Pointwise::kIdentity:
      return first;
    case Pointwise::kNegate:
      return Negate(first);
    case Pointwise::kReciprocal:
      return Reciprocal(first);
    case Pointwise::kNot:
      if (first.kind == Kind::kNumber) return Fill::Number(first.number == 0 ? 1 : 0);
      return Fill::Of(Kind::kNonNegative);
    case Pointwise::kWhere:
    case Pointwise::kMaskedFill: {
      if (operands.size() < 3) return Fill::Of(Kind::kAny);
      const bool is_where = function == Pointwise::kWhere;
      const Fill& condition = is_where ? first : operands[1];
      const Fill& chosen = is_where ? operands[1] : operands[2];
      const Fill& other = is_where ? operands[2] : first;
      if (condition.kind == Kind::kNumber) return condition.number != 0 ? chosen : other;
      return Join(chosen, other);
    }
    case Pointwise::kClamp: {
      Fill result = first;
      if (operands.size() > 1) result = Maximum(result, operands[1]);
      if (operands.size() > 2) result = Minimum(result, operands[2]);
      return result;
    }
    default:
      break;
  }
  switch (Arity(function)) {
    case 1:
      return Unary(function, first);
    case 2:
      if (operands.size() < 2) return Fill::Of(Kind::kAny);
      return Binary(function, first, operands[1]);
    default:
      return Several(function, operands);
  }
}

Fill Reduce(Reduction reduction, const Fill& fill) {
  Fill result = ReduceKinds(reduction, fill);
  if (fill.is_real && fill.kind != Kind::kNumber) result = AsReal(result);
  result.is_bound = result.kind != Kind::kNumber && fill.is_bound;
  result.has_low = result.kind != Kind::kNumber && fill.MayBeLow();
  result.lines = 0;
  return result;
}

bool IsNeutral(Reduction reduction, const Fill& fill, const Fill& real) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kAny:
    case Reduction::kNorm:
    case Reduction::kCountNonzero:
      return fill.IsNumber(0);
    case Reduction::kProduct:
    case Reduction::kAll:
      return fill.IsNumber(1);
    case Reduction::kMax:
      return fill.IsVeryLow() || (fill.IsNumber(0) && real.IsNonNegative());
    case Reduction::kArgMax:
      return fill.IsVeryLow() || (fill.IsNumber(0) && real.IsPositive());
    case Reduction::kMin:
    case Reduction::kArgMin:
      return fill.kind == Kind::kNumber && fill.number >= -kVeryLowNumber;
    case Reduction::kLogSumExp:
      return fill.IsVeryLow();
    case Reduction::kMean:
    case Reduction::kVariance:
    case Reduction::kMedian:
      return false;
  }
  return false;
}

const char* NeutralText(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kNorm:
    case Reduction::kCountNonzero:
      return "0";
    case Reduction::kAny:
      return "False";
    case Reduction::kAll:
      return "True";
    case Reduction::kProduct:
      return "1";
    case Reduction::kMax:
    case Reduction::kArgMax:
    case Reduction::kLogSumExp:
      return "-inf";
    case Reduction::kMin:
    case Reduction::kArgMin:
      return "inf";
    case Reduction::kMean:
    case Reduction::kVariance:
    case Reduction::kMedian:
      return nullptr;
  }
  return nullptr;
}

}  // namespace shapewise
