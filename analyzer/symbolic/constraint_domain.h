// Sets of integers: domains of variables, sets of values, bounds of sums.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "symbolic/checked.h"
#include "symbolic/interval.h"

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

/// A domain's bounds as wide numbers, infinities as kWideInfinity.
struct WideInterval {
  Wide lower = -kWideInfinity;
  Wide upper = kWideInfinity;
};

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
  bool Restrict(const WideInterval& bounds);

  friend bool operator==(const Domain&, const Domain&) = default;

 private:
  void AlignBounds();
};

WideInterval WideOf(const Domain& domain);
/// Hulls of products and quotients. Zero times infinity is zero.
WideInterval MultiplyIntervals(const WideInterval& a, const WideInterval& b);
/// For a // b rounded towards minus infinity; `b` must not contain zero.
WideInterval FloorDivideIntervals(const WideInterval& a, const WideInterval& b);
/// Hull of the integers x such that x * y is in `a` for some y in `b`; `b` must not contain zero.
WideInterval FactorInterval(const WideInterval& a, const WideInterval& b);

/// From lower to upper in steps of the modulus; kMinusInfinity and kPlusInfinity: unbounded.
struct Segment {
  int64_t lower = 0;
  int64_t upper = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

class ValueSet {
 public:
  explicit ValueSet(int64_t modulus = 1) : modulus_(modulus) {}

  int64_t modulus() const { return modulus_; }
  bool IsEmpty() const { return classes_.empty(); }
  size_t num_segments() const;
  /// Adds every modulus-th value between the bounds; `anchor` must be one of them.
  void Add(int64_t anchor, int64_t lower, int64_t upper);
  bool Contains(int64_t value) const;
  /// The segment that contains `value`; nullptr: not in the set.
  const Segment* SegmentAt(int64_t value) const;

  /// Removes members of the set from the ends of `domain`; returns whether it changed.
  bool RemoveFrom(Domain& domain) const;
  /// A segment with an end inside `domain`, if the set contains all of the domain's values within
  /// its bounds; used to split the domain there.
  const Segment* SegmentWithin(const Domain& domain) const;

  /// Hull and common congruence of all members; the set must not be empty.
  Interval Hull() const;
  Congruence CommonCongruence() const;
  /// Whether all values of `hull` in `congruence` are members. Both must contain all members; the
  /// modulus must not be 0.
  bool Fills(const Interval& hull, const Congruence& congruence) const;

 private:
  int64_t modulus_;
  // By residue; segments are ascending and never touch.
  std::map<int64_t, std::vector<Segment>> classes_;
};

/// One bound of a sum: its finite part, and the number of terms without a bound.
struct SumEnd {
  Wide finite = 0;
  size_t num_infinite = 0;

  void Add(const SumEnd& term) {
    finite += term.finite;
    num_infinite += term.num_infinite;
  }
  void Remove(const SumEnd& term) {
    finite -= term.finite;
    num_infinite -= term.num_infinite;
  }
  /// The bound without one term; nullopt: still infinite.
  std::optional<Wide> Without(const SumEnd& term) const {
    if (num_infinite > term.num_infinite) return std::nullopt;
    return finite - term.finite;
  }
};

/// Both bounds of coefficient * variable.
struct TermEnds {
  SumEnd least;
  SumEnd greatest;
};

inline TermEnds EndsOf(const Domain& domain, int64_t coefficient) {
  const auto end_of = [&](int64_t bound) -> SumEnd {
    if (bound == kMinusInfinity || bound == kPlusInfinity) return {0, 1};
    return {static_cast<Wide>(bound) * coefficient, 0};
  };
  const SumEnd low = end_of(domain.lower);
  const SumEnd high = end_of(domain.upper);
  return coefficient > 0 ? TermEnds{low, high} : TermEnds{high, low};
}

/// The step between values of one term; 0 if it has a single value.
inline uint64_t StepOf(const Domain& domain, int64_t coefficient) {
  if (domain.IsFixed()) return 0;
  // If a step does not fit, a divisor of it is still valid.
  const Wide step = static_cast<Wide>(Magnitude(coefficient)) * domain.modulus;
  return step < kPlusInfinity ? static_cast<uint64_t>(step) : Magnitude(coefficient);
}

/// A member of the domain's congruence.
inline Wide MemberOf(const Domain& domain) {
  return domain.IsFixed() ? domain.lower : domain.remainder;
}

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_DOMAIN_H_
