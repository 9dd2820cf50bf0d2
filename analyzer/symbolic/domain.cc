#include "domain.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "checked.h"

namespace shapewise {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();
// Moduli stay below, so that sums of remainders fit.
constexpr uint64_t kMaxModulus = uint64_t{1} << 62U;

std::optional<int64_t> Narrow(Int128 value) {
  if (value < kLeast || value > kGreatest) return std::nullopt;
  return static_cast<int64_t>(value);
}

Int128 FloorQuotient(Int128 a, Int128 b) {
  const Int128 quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Int128 CeilQuotient(Int128 a, Int128 b) { return -FloorQuotient(-a, b); }

// A bound that may be infinite.
struct Extended {
  int infinity = 0;  // -1, 0, 1
  Int128 value = 0;

  friend bool operator<(const Extended& a, const Extended& b) {
    if (a.infinity != b.infinity) return a.infinity < b.infinity;
    return a.infinity == 0 && a.value < b.value;
  }
};

Extended LowerOf(const Interval& a) { return a.lower ? Extended{0, *a.lower} : Extended{-1, 0}; }
Extended UpperOf(const Interval& a) { return a.upper ? Extended{0, *a.upper} : Extended{1, 0}; }

int SignOf(const Extended& a) {
  if (a.infinity != 0) return a.infinity;
  return a.value < 0 ? -1 : a.value > 0 ? 1 : 0;
}

Extended Product(const Extended& a, const Extended& b) {
  const int sign = SignOf(a) * SignOf(b);
  if (sign == 0) return {0, 0};  // no factor of a product is infinite, however large it gets
  if (a.infinity != 0 || b.infinity != 0) return {sign, 0};
  return {0, a.value * b.value};
}

// a // b for b > 0. The limit for a growing divisor is 0 or -1.
Extended Quotient(const Extended& a, const Extended& b) {
  if (a.infinity != 0) return a;
  if (b.infinity != 0) return {0, a.value < 0 ? -1 : 0};
  return {0, FloorQuotient(a.value, b.value)};
}

Interval FromExtended(const Extended& lower, const Extended& upper) {
  Interval result;
  if (lower.infinity == 0) result.lower = Narrow(lower.value);
  if (upper.infinity == 0) result.upper = Narrow(upper.value);
  return result;
}

// The least and the greatest of four corners.
template <typename Operation>
Interval OfCorners(const Interval& a, const Interval& b, Operation operation) {
  const Extended corners[] = {operation(LowerOf(a), LowerOf(b)), operation(LowerOf(a), UpperOf(b)),
                              operation(UpperOf(a), LowerOf(b)), operation(UpperOf(a), UpperOf(b))};
  return FromExtended(*std::min_element(std::begin(corners), std::end(corners)),
                      *std::max_element(std::begin(corners), std::end(corners)));
}

Int128 Residue(Int128 value, uint64_t modulus) {
  const auto wide = static_cast<Int128>(modulus);
  const Int128 rest = value % wide;
  return rest < 0 ? rest + wide : rest;
}

Congruence Reduced(Int128 value, uint64_t modulus) {
  if (modulus == 0) {
    const auto point = Narrow(value);
    return point ? PointCongruence(*point) : Congruence();
  }
  if (modulus > kMaxModulus) return {};
  return {modulus, static_cast<int64_t>(Residue(value, modulus))};
}

// base * x == 1 modulo `modulus`, for coprime numbers.
Int128 Inverse(Int128 base, Int128 modulus) {
  Int128 old_remainder = base;
  Int128 remainder = modulus;
  Int128 old_factor = 1;
  Int128 factor = 0;
  while (remainder != 0) {
    const Int128 quotient = old_remainder / remainder;
    old_remainder = std::exchange(remainder, old_remainder - quotient * remainder);
    old_factor = std::exchange(factor, old_factor - quotient * factor);
  }
  return old_factor;
}

}  // namespace

Interval AddIntervals(const Interval& a, const Interval& b) {
  Interval sum;
  if (a.lower && b.lower) sum.lower = CheckedAdd(*a.lower, *b.lower);
  if (a.upper && b.upper) sum.upper = CheckedAdd(*a.upper, *b.upper);
  return sum;
}

Interval ScaleInterval(const Interval& a, int64_t factor) {
  return MultiplyIntervals(a, PointInterval(factor));
}

Interval MultiplyIntervals(const Interval& a, const Interval& b) {
  return OfCorners(a, b, Product);
}

Interval IntersectIntervals(const Interval& a, const Interval& b) {
  Interval both = a;
  if (b.lower && (!both.lower || *b.lower > *both.lower)) both.lower = b.lower;
  if (b.upper && (!both.upper || *b.upper < *both.upper)) both.upper = b.upper;
  return both;
}

Interval HullOfIntervals(const Interval& a, const Interval& b) {
  Interval hull;
  if (a.lower && b.lower) hull.lower = std::min(*a.lower, *b.lower);
  if (a.upper && b.upper) hull.upper = std::max(*a.upper, *b.upper);
  return hull;
}

Interval FloorDivideIntervals(const Interval& a, const Interval& b) {
  // Both signs of the divisor apart; a negative one turns both operands round.
  const Interval positive = IntersectIntervals(b, {1, std::nullopt});
  const Interval negative = IntersectIntervals(ScaleInterval(b, -1), {1, std::nullopt});
  std::optional<Interval> result;
  if (!positive.IsEmpty()) result = OfCorners(a, positive, Quotient);
  if (!negative.IsEmpty()) {
    const Interval turned = OfCorners(ScaleInterval(a, -1), negative, Quotient);
    result = result ? HullOfIntervals(*result, turned) : turned;
  }
  return result.value_or(Interval());
}

Interval ModuloIntervals(const Interval& a, const Interval& b) {
  if (b.lower && *b.lower > 0) {
    if (a.lower && *a.lower >= 0 && a.upper && *a.upper < *b.lower) return a;
    Interval result{0, std::nullopt};
    if (b.upper) result.upper = *b.upper - 1;
    if (a.lower && *a.lower >= 0) result = IntersectIntervals(result, {0, a.upper});
    return result;
  }
  Interval result;
  if (b.lower) result.lower = std::min<int64_t>(0, *b.lower + 1);
  if (b.upper) result.upper = std::max<int64_t>(0, *b.upper - 1);
  return result;
}

Interval PowerOfInterval(const Interval& base, int64_t exponent) {
  if (exponent < 0) return {};
  if (exponent == 0) return PointInterval(1);
  const auto power = [&](const std::optional<int64_t>& bound) {
    return bound ? CheckedPower(*bound, exponent) : std::nullopt;
  };
  if (exponent % 2 == 1) return {power(base.lower), power(base.upper)};
  if (base.lower && *base.lower >= 0) return {power(base.lower), power(base.upper)};
  if (base.upper && *base.upper <= 0) return {power(base.upper), power(base.lower)};
  Interval result{0, std::nullopt};
  const auto left = power(base.lower);
  const auto right = power(base.upper);
  if (left && right) result.upper = std::max(*left, *right);
  return result;
}

Interval MaxOfIntervals(const Interval& a, const Interval& b) {
  Interval result = HullOfIntervals(a, b);
  result.lower = a.lower && b.lower ? std::max(*a.lower, *b.lower) : a.lower ? a.lower : b.lower;
  return result;
}

Interval MinOfIntervals(const Interval& a, const Interval& b) {
  Interval result = HullOfIntervals(a, b);
  result.upper = a.upper && b.upper ? std::min(*a.upper, *b.upper) : a.upper ? a.upper : b.upper;
  return result;
}

Interval DivideIntervalInwards(const Interval& a, int64_t divisor) {
  Interval result;
  if (a.lower) result.lower = Narrow(CeilQuotient(*a.lower, divisor));
  if (a.upper) result.upper = Narrow(FloorQuotient(*a.upper, divisor));
  if (divisor > 0) return result;
  result = {};
  if (a.upper) result.lower = Narrow(CeilQuotient(*a.upper, divisor));
  if (a.lower) result.upper = Narrow(FloorQuotient(*a.lower, divisor));
  return result;
}

Interval DivideIntervalOutwards(const Interval& a, int64_t divisor) {
  Interval result;
  if (a.lower) result.lower = Narrow(FloorQuotient(*a.lower, divisor));
  if (a.upper) result.upper = Narrow(CeilQuotient(*a.upper, divisor));
  return result;
}

Congruence PointCongruence(int64_t value) { return {0, value}; }

Congruence AddCongruences(const Congruence& a, const Congruence& b) {
  return Reduced(Int128{a.remainder} + b.remainder, std::gcd(a.modulus, b.modulus));
}

Congruence ScaleCongruence(const Congruence& a, int64_t factor) {
  return MultiplyCongruences(a, PointCongruence(factor));
}

// (m*k + r) * (n*l + q) is r*q modulo gcd(m*n, m*q, n*r).
Congruence MultiplyCongruences(const Congruence& a, const Congruence& b) {
  const auto product = [](uint64_t x, uint64_t y) -> std::optional<uint64_t> {
    uint64_t result = 0;
    if (__builtin_mul_overflow(x, y, &result) || result > kMaxModulus) return std::nullopt;
    return result;
  };
  const auto both = product(a.modulus, b.modulus);
  const auto left = product(a.modulus, Magnitude(b.remainder));
  const auto right = product(b.modulus, Magnitude(a.remainder));
  if (!both || !left || !right) return {};
  return Reduced(Int128{a.remainder} * b.remainder, std::gcd(*both, std::gcd(*left, *right)));
}

Congruence JoinCongruences(const Congruence& a, const Congruence& b) {
  const Int128 difference = Int128{a.remainder} - b.remainder;
  const auto distance = static_cast<uint64_t>(difference < 0 ? -difference : difference);
  return Reduced(a.remainder, std::gcd(std::gcd(a.modulus, b.modulus), distance));
}

bool IntersectCongruence(Congruence& a, const Congruence& b) {
  if (b.modulus == 0) {
    if (!ContainsValue(a, b.remainder)) return false;
    a = b;
    return true;
  }
  if (a.modulus == 0) return ContainsValue(b, a.remainder);
  const uint64_t shared = std::gcd(a.modulus, b.modulus);
  const Int128 difference = Int128{b.remainder} - a.remainder;
  if (difference % static_cast<Int128>(shared) != 0) return false;
  const uint64_t step = b.modulus / shared;
  uint64_t modulus = 0;
  if (__builtin_mul_overflow(a.modulus, step, &modulus) || modulus > kMaxModulus) return true;
  // a.remainder + a.modulus * k, with the k that makes it a member of b.
  const auto wide_shared = static_cast<Int128>(shared);
  const Int128 inverse =
      Inverse(static_cast<Int128>(a.modulus / shared), static_cast<Int128>(step));
  const Int128 k = Residue(Residue(difference / wide_shared, step) * Residue(inverse, step), step);
  a = Reduced(static_cast<Int128>(a.modulus) * k + a.remainder, modulus);
  return true;
}

Congruence FloorDivideCongruence(const Congruence& a, int64_t divisor) {
  const auto unsigned_divisor = static_cast<uint64_t>(divisor);
  if (a.modulus % unsigned_divisor != 0) return {};
  return Reduced(FloorQuotient(a.remainder, divisor), a.modulus / unsigned_divisor);
}

Congruence ModuloCongruence(const Congruence& a, int64_t divisor) {
  const auto unsigned_divisor = static_cast<uint64_t>(divisor);
  if (a.modulus % unsigned_divisor == 0) {
    return PointCongruence(static_cast<int64_t>(Residue(a.remainder, unsigned_divisor)));
  }
  return Reduced(a.remainder, std::gcd(a.modulus, unsigned_divisor));
}

bool DivideCongruence(Congruence& a, int64_t divisor) {
  if (a.modulus == 0) {
    if (a.remainder % divisor != 0) return false;
    const auto quotient = CheckedFloorDivide(a.remainder, divisor);
    a = quotient ? PointCongruence(*quotient) : Congruence();
    return true;
  }
  const uint64_t shared = std::gcd(a.modulus, Magnitude(divisor));
  if (a.remainder % static_cast<Int128>(shared) != 0) return false;
  const uint64_t modulus = a.modulus / shared;
  const auto wide_shared = static_cast<Int128>(shared);
  const Int128 factor = Residue(divisor / wide_shared, modulus);
  const Int128 inverse = Residue(Inverse(factor, static_cast<Int128>(modulus)), modulus);
  a = Reduced(Residue(a.remainder / wide_shared, modulus) * inverse, modulus);
  return true;
}

bool ContainsValue(const Congruence& congruence, int64_t value) {
  if (congruence.modulus == 0) return value == congruence.remainder;
  return Residue(value, congruence.modulus) == congruence.remainder;
}

bool TightenDomain(Domain& domain) {
  Interval& range = domain.range;
  Congruence& congruence = domain.congruence;
  if (congruence.modulus == 0) {
    range = IntersectIntervals(range, PointInterval(congruence.remainder));
  } else if (congruence.modulus > 1) {
    if (range.lower) {
      const Int128 step = Residue(Int128{congruence.remainder} - *range.lower, congruence.modulus);
      range.lower = Narrow(*range.lower + step).value_or(*range.lower);
    }
    if (range.upper) {
      const Int128 step = Residue(Int128{*range.upper} - congruence.remainder, congruence.modulus);
      range.upper = Narrow(*range.upper - step).value_or(*range.upper);
    }
  }
  if (range.IsEmpty()) return false;
  if (range.lower && range.upper && *range.lower == *range.upper) {
    congruence = PointCongruence(*range.lower);
  }
  return true;
}

}  // namespace shapewise
