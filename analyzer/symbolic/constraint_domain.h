// The values a variable may still take: an interval and a congruence at once.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "checked.h"

namespace shapewise::constraints {

/// Holds the product of any two 64-bit integers, and sums of many of them times a coefficient.
__extension__ typedef __int128 Wide;

constexpr int64_t kMinusInfinity = std::numeric_limits<int64_t>::min();
constexpr int64_t kPlusInfinity = std::numeric_limits<int64_t>::max();
constexpr Wide kWideInfinity = static_cast<Wide>(1) << 126;

/// Rounded towards minus infinity; `divisor` is not zero.
Wide FloorDivide(Wide dividend, Wide divisor);
Wide CeilDivide(Wide dividend, Wide divisor);
/// With the sign of `divisor`, as in Python.
Wide FloorModulo(Wide dividend, Wide divisor);
/// x with a * x % m == 1 % m; gcd(a, m) is 1.
Wide InverseModulo(Wide a, Wide m);
uint64_t Gcd(uint64_t a, uint64_t b);
/// A finite 64-bit integer, if it is one.
std::optional<int64_t> Narrow(Wide value);

/// Integers n with lower <= n <= upper and n % modulus == remainder. Bounds beyond 64 bits are
/// widened to infinity: a domain may hold too many values, never too few.
struct Domain {
  int64_t lower = kMinusInfinity;
  int64_t upper = kPlusInfinity;
  int64_t modulus = 1;  ///< 1 to 2^40
  int64_t remainder = 0;

  static Domain Of(int64_t value) { return {value, value, 1, 0}; }

  bool IsEmpty() const { return lower > upper; }
  bool IsFixed() const { return lower == upper; }
  bool IsFinite() const { return lower != kMinusInfinity && upper != kPlusInfinity; }
  bool Contains(int64_t value) const;
  /// How many values there are; 2^64 - 1 also stands for more, and for infinitely many.
  uint64_t Count() const;
  /// The member next to zero; the domain is not empty.
  int64_t Smallest() const;

  // Each takes away what does not fit and tells whether anything changed.
  bool RestrictLower(Wide bound);
  bool RestrictUpper(Wide bound);
  bool RestrictCongruence(Wide new_modulus, Wide new_remainder);
  bool Restrict(const Domain& other);

  friend bool operator==(const Domain&, const Domain&) = default;

 private:
  void AlignBounds();
};

/// A domain's bounds as wide numbers, infinities as kWideInfinity.
struct WideInterval {
  Wide lower = -kWideInfinity;
  Wide upper = kWideInfinity;
};

WideInterval WideOf(const Domain& domain);
/// Products and quotients of bounds: the hull of all results. Zero times infinity is zero.
WideInterval MultiplyIntervals(const WideInterval& a, const WideInterval& b);
/// Of a // b rounded towards minus infinity; `b` does not hold zero.
WideInterval FloorDivideIntervals(const WideInterval& a, const WideInterval& b);
/// Hull of the integers x for which some y of `b` has x * y in `a`; `b` does not hold zero.
WideInterval FactorInterval(const WideInterval& a, const WideInterval& b);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_
