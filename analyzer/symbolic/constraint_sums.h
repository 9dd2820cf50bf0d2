// Bounds and common steps of linear sums over domains.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_SUMS_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "symbolic/constraint_domain.h"

namespace shapewise::constraints {

/// One bound of a sum: its finite part, and the number of terms without a bound.
struct SumEnd {
  Wide finite = 0;
  size_t num_infinite = 0;

  void Add(Wide part, bool is_infinite) {
    if (is_infinite) {
      ++num_infinite;
    } else {
      finite += part;
    }
  }
  void Remove(Wide part, bool is_infinite) {
    if (is_infinite) {
      --num_infinite;
    } else {
      finite -= part;
    }
  }
  /// The bound without one term; nullopt: still infinite.
  std::optional<Wide> Without(Wide part, bool is_infinite) const {
    if (num_infinite > (is_infinite ? 1u : 0u)) return std::nullopt;
    return is_infinite ? finite : finite - part;
  }
};

/// Both bounds of coefficient * variable.
struct TermEnds {
  Wide least = 0;
  Wide greatest = 0;
  bool has_no_least = false;
  bool has_no_greatest = false;
};

inline TermEnds EndsOf(const Domain& domain, int64_t coefficient) {
  const bool is_positive = coefficient > 0;
  const int64_t low = is_positive ? domain.lower : domain.upper;
  const int64_t high = is_positive ? domain.upper : domain.lower;
  TermEnds ends;
  ends.has_no_least = low == kMinusInfinity || low == kPlusInfinity;
  ends.has_no_greatest = high == kMinusInfinity || high == kPlusInfinity;
  if (!ends.has_no_least) ends.least = static_cast<Wide>(low) * coefficient;
  if (!ends.has_no_greatest) ends.greatest = static_cast<Wide>(high) * coefficient;
  return ends;
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

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_SUMS_H_
