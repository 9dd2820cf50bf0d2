// The possible values of a variable: an interval combined with a congruence.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "checked.h"

namespace shapewise::constraints {

/// Fits the product of any two 64-bit integers, and sums of many of them times a coefficient.
__extension__ typedef __int128 Wide;

constexpr int64_t kMinusInfinity = std::numeric_limits<int64_t>::min();
constexpr int64_t kPlusInfinity = std::numeric_limits<int64_t>::max();
constexpr Wide kWideInfinity = static_cast<Wide>(1) << 126;

/// Rounded towards minus infinity; `divisor` must not be zero.
Wide FloorDivide(Wide dividend, Wide divisor);
Wide CeilDivide(Wide dividend, Wide divisor);
/// With the sign of `divisor`, as in Python.
Wide FloorModulo(Wide dividend, Wide divisor);
/// x with a * x % m == 1 % m; gcd(a, m) must be 1.
Wide InverseModulo(Wide a, Wide m);
uint64_t Gcd(uint64_t a, uint64_t b);
/// The value if it is a finite 64-bit integer.
std::optional<int64_t> Narrow(Wide value);

/// Integers n with lower <= n <= upper and n % modulus == remainder. Bounds beyond 64 bits become
/// infinity: a domain may contain too many values, never too few.
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
  /// The number of values; 2^64 - 1 also represents larger and infinite numbers.
  uint64_t Count() const;
  /// The member closest to zero; the domain must not be empty.
  int64_t Smallest() const;

  // Each restricts the domain and returns whether it changed.
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
/// Hulls of products and quotients. Zero times infinity is zero.
WideInterval MultiplyIntervals(const WideInterval& a, const WideInterval& b);
/// For a // b rounded towards minus infinity; `b` must not contain zero.
WideInterval FloorDivideIntervals(const WideInterval& a, const WideInterval& b);
/// Hull of the integers x such that x * y is in `a` for some y in `b`; `b` must not contain zero.
WideInterval FactorInterval(const WideInterval& a, const WideInterval& b);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_
