// Arithmetic on intervals and congruences. Results hold all values that may come out, and may hold
// more: a bound beyond 64 bits is no bound.

#ifndef SHAPEWISE_SYMBOLIC_DOMAIN_H_
#define SHAPEWISE_SYMBOLIC_DOMAIN_H_

#include <cstdint>

#include "shapewise/symbolic/facts.h"

namespace shapewise {

inline Interval PointInterval(int64_t value) { return {value, value}; }
Interval AddIntervals(const Interval& a, const Interval& b);
Interval ScaleInterval(const Interval& a, int64_t factor);
Interval MultiplyIntervals(const Interval& a, const Interval& b);
Interval IntersectIntervals(const Interval& a, const Interval& b);
/// The least interval around both.
Interval HullOfIntervals(const Interval& a, const Interval& b);
/// a // b; a divisor of zero has no quotient.
Interval FloorDivideIntervals(const Interval& a, const Interval& b);
Interval ModuloIntervals(const Interval& a, const Interval& b);
Interval PowerOfInterval(const Interval& base, int64_t exponent);
Interval MaxOfIntervals(const Interval& a, const Interval& b);
Interval MinOfIntervals(const Interval& a, const Interval& b);
/// The integers n with divisor * n in `a`; `divisor` is not 0.
Interval DivideIntervalInwards(const Interval& a, int64_t divisor);
/// Integers around all a / divisor, `divisor` being positive.
Interval DivideIntervalOutwards(const Interval& a, int64_t divisor);

Congruence PointCongruence(int64_t value);
Congruence AddCongruences(const Congruence& a, const Congruence& b);
Congruence ScaleCongruence(const Congruence& a, int64_t factor);
Congruence MultiplyCongruences(const Congruence& a, const Congruence& b);
/// What both are members of.
Congruence JoinCongruences(const Congruence& a, const Congruence& b);
/// False: no integer is in both, and `a` is left as it was. Where the common modulus is too large,
/// `a` stays.
bool IntersectCongruence(Congruence& a, const Congruence& b);
/// a // divisor, for a positive divisor.
Congruence FloorDivideCongruence(const Congruence& a, int64_t divisor);
/// a % divisor, for a positive divisor.
Congruence ModuloCongruence(const Congruence& a, int64_t divisor);
/// The integers n with divisor * n in `a`; `divisor` is not 0. False: there are none.
bool DivideCongruence(Congruence& a, int64_t divisor);
bool ContainsValue(const Congruence& congruence, int64_t value);

/// What is known of a number. Both hold.
struct Domain {
  Interval range;
  Congruence congruence;
  friend bool operator==(const Domain&, const Domain&) = default;
};

/// Moves bounds to members of the congruence, and back. False: no integer is left.
bool TightenDomain(Domain& domain);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_DOMAIN_H_
