#include "symbolic/constraint_domain.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <numeric>

namespace shapewise::constraints {
namespace {

// Larger moduli are dropped, which widens the domain.
constexpr Wide kWidestModulus = static_cast<Wide>(1) << 40;

bool IsInfinite(Wide value) { return value <= -kWideInfinity || value >= kWideInfinity; }

Wide MultiplyBounds(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  if (IsInfinite(a) || IsInfinite(b)) return (a < 0) == (b < 0) ? kWideInfinity : -kWideInfinity;
  return a * b;
}

enum class Rounding : uint8_t { kDown, kUp };

Wide DivideBounds(Wide a, Wide b, Rounding rounding) {
  if (IsInfinite(a)) return (a < 0) == (b < 0) ? kWideInfinity : -kWideInfinity;
  if (IsInfinite(b)) {
    // The quotient approaches zero arbitrarily closely, without passing it.
    if (a == 0) return 0;
    const bool is_negative = (a < 0) != (b < 0);
    if (rounding == Rounding::kDown) return is_negative ? -1 : 0;
    return is_negative ? 0 : 1;
  }
  return rounding == Rounding::kDown ? FloorDivide(a, b) : CeilDivide(a, b);
}

// The hull of the quotients of the corners, rounded down, or inwards.
WideInterval HullOfQuotients(const WideInterval& a, const WideInterval& b, bool is_inwards) {
  WideInterval result{kWideInfinity, -kWideInfinity};
  for (const Wide dividend : {a.lower, a.upper}) {
    for (const Wide divisor : {b.lower, b.upper}) {
      // Near zero on one side: keep zero itself, or a whole step beyond it.
      const bool is_near_zero = IsInfinite(divisor);
      const Rounding lower = is_inwards && !is_near_zero ? Rounding::kUp : Rounding::kDown;
      const Rounding upper = is_inwards && is_near_zero ? Rounding::kUp : Rounding::kDown;
      result.lower = std::min(result.lower, DivideBounds(dividend, divisor, lower));
      result.upper = std::max(result.upper, DivideBounds(dividend, divisor, upper));
    }
  }
  return result;
}

}  // namespace

Wide FloorDivide(Wide dividend, Wide divisor) {
  assert(divisor != 0);
  // 128-bit division is a slow call, and nearly all operands are small.
  if (static_cast<int64_t>(dividend) == dividend && static_cast<int64_t>(divisor) == divisor &&
      static_cast<int64_t>(dividend) != kMinusInfinity) {
    const auto a = static_cast<int64_t>(dividend);
    const auto b = static_cast<int64_t>(divisor);
    const int64_t quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  }
  const Wide quotient = dividend / divisor;
  return quotient * divisor != dividend && (dividend < 0) != (divisor < 0) ? quotient - 1
                                                                           : quotient;
}

Wide CeilDivide(Wide dividend, Wide divisor) { return -FloorDivide(-dividend, divisor); }

Wide FloorModulo(Wide dividend, Wide divisor) {
  return dividend - FloorDivide(dividend, divisor) * divisor;
}

Wide InverseModulo(Wide a, Wide m) {
  Wide old_r = FloorModulo(a, m);
  Wide r = m;
  Wide old_s = 1;
  Wide s = 0;
  while (r != 0) {
    const Wide quotient = old_r / r;
    const Wide next_r = old_r - quotient * r;
    old_r = r;
    r = next_r;
    const Wide next_s = old_s - quotient * s;
    old_s = s;
    s = next_s;
  }
  return FloorModulo(old_s, m);
}

uint64_t Gcd(uint64_t a, uint64_t b) { return std::gcd(a, b); }

std::optional<int64_t> Narrow(Wide value) {
  if (value <= kMinusInfinity || value >= kPlusInfinity) return std::nullopt;
  return static_cast<int64_t>(value);
}

bool Domain::Contains(int64_t value) const {
  if (value < lower || value > upper) return false;
  return modulus == 1 || FloorModulo(value, modulus) == remainder;
}

uint64_t Domain::Count() const {
  if (IsEmpty()) return 0;
  if (!IsFinite()) return std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>((static_cast<Wide>(upper) - lower) / modulus + 1);
}

int64_t Domain::Smallest() const {
  if (lower > 0) return lower;
  if (upper < 0) return upper;
  // 0 is between the bounds: the first member from there on, or the last one before.
  return remainder <= upper ? remainder : remainder - modulus;
}

bool Domain::RestrictLower(Wide bound) {
  if (bound <= lower) return false;
  // A bound that does not fit 64 bits is weakened to the largest one that does.
  lower = bound >= kPlusInfinity ? kPlusInfinity - 1 : static_cast<int64_t>(bound);
  if (bound >= kPlusInfinity && upper != kPlusInfinity) upper = lower - 1;
  AlignBounds();
  return true;
}

bool Domain::RestrictUpper(Wide bound) {
  if (bound >= upper) return false;
  upper = bound <= kMinusInfinity ? kMinusInfinity + 1 : static_cast<int64_t>(bound);
  if (bound <= kMinusInfinity && lower != kMinusInfinity) lower = upper + 1;
  AlignBounds();
  return true;
}

bool Domain::RestrictCongruence(Wide new_modulus, Wide new_remainder) {
  if (new_modulus <= 1 || IsEmpty()) return false;
  new_remainder = FloorModulo(new_remainder, new_modulus);
  if (new_modulus > kWidestModulus) return false;
  if (IsFixed()) {
    if (FloorModulo(lower, new_modulus) == new_remainder) return false;
    upper = lower - 1;
    return true;
  }
  // Chinese remainder theorem: n = remainder + modulus * k, with k determined modulo new / gcd.
  const Wide common =
      static_cast<Wide>(Gcd(static_cast<uint64_t>(modulus), static_cast<uint64_t>(new_modulus)));
  const Wide difference = new_remainder - remainder;
  if (difference % common != 0) {
    lower = 1;
    upper = 0;
    return true;
  }
  const Wide step = new_modulus / common;
  if (step == 1) return false;
  const Wide joint = modulus * step;
  if (joint > kWidestModulus) return false;
  const Wide factor = FloorModulo(
      FloorModulo(difference / common, step) * InverseModulo(modulus / common, step), step);
  remainder = static_cast<int64_t>(remainder + modulus * factor);
  modulus = static_cast<int64_t>(joint);
  AlignBounds();
  return true;
}

bool Domain::Restrict(const Domain& other) {
  bool changed = RestrictLower(other.lower);
  changed |= RestrictUpper(other.upper);
  changed |= RestrictCongruence(other.modulus, other.remainder);
  if (!IsEmpty() && other.IsEmpty()) {
    lower = 1;
    upper = 0;
    changed = true;
  }
  return changed;
}

bool Domain::Restrict(const WideInterval& bounds) {
  const bool is_raised = RestrictLower(bounds.lower);
  return RestrictUpper(bounds.upper) || is_raised;
}

void Domain::AlignBounds() {
  if (modulus == 1 || IsEmpty()) return;
  if (lower != kMinusInfinity) {
    const Wide aligned = lower + FloorModulo(static_cast<Wide>(remainder) - lower, modulus);
    if (aligned < kPlusInfinity) {
      lower = static_cast<int64_t>(aligned);
    } else if (upper != kPlusInfinity) {
      upper = lower - 1;
    }
  }
  if (upper != kPlusInfinity && lower <= upper) {
    const Wide aligned = upper - FloorModulo(static_cast<Wide>(upper) - remainder, modulus);
    if (aligned > kMinusInfinity) {
      upper = static_cast<int64_t>(aligned);
    } else if (lower != kMinusInfinity) {
      lower = upper + 1;
    }
  }
}

WideInterval WideOf(const Domain& domain) {
  WideInterval interval;
  if (domain.lower != kMinusInfinity) interval.lower = domain.lower;
  if (domain.upper != kPlusInfinity) interval.upper = domain.upper;
  return interval;
}

WideInterval MultiplyIntervals(const WideInterval& a, const WideInterval& b) {
  const std::initializer_list<Wide> corners = {
      MultiplyBounds(a.lower, b.lower), MultiplyBounds(a.lower, b.upper),
      MultiplyBounds(a.upper, b.lower), MultiplyBounds(a.upper, b.upper)};
  return {std::min(corners), std::max(corners)};
}

WideInterval FloorDivideIntervals(const WideInterval& a, const WideInterval& b) {
  return HullOfQuotients(a, b, /*is_inwards=*/false);
}

WideInterval FactorInterval(const WideInterval& a, const WideInterval& b) {
  // Real quotients are between those of the corners; results are rounded inwards.
  return HullOfQuotients(a, b, /*is_inwards=*/true);
}

}  // namespace shapewise::constraints
