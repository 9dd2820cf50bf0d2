// A finite or infinite set of integers: a list of segments for each residue of a modulus.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_VALUES_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "shapewise/symbolic/interval.h"
#include "symbolic/constraint_domain.h"

namespace shapewise::constraints {

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

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_VALUES_H_
