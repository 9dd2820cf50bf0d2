// A set of integers, finite or not: for each residue modulo some number a list of segments.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_VALUES_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "shapewise/symbolic/interval.h"
#include "symbolic/constraint_domain.h"

namespace shapewise::constraints {

/// From lower to upper in steps of the modulus; kMinusInfinity and kPlusInfinity: without end.
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
  /// Adds every modulus-th value between the bounds; `anchor` is one of them.
  void Add(int64_t anchor, int64_t lower, int64_t upper);
  bool Contains(int64_t value) const;
  /// The segment of `value`'s residue that holds it; nullptr: the set does not.
  const Segment* SegmentAt(int64_t value) const;

  /// Takes members of the set from the ends of `domain`; tells whether anything changed.
  bool RemoveFrom(Domain& domain) const;
  /// A segment that ends within `domain` on both sides or on one, if all values of the domain that
  /// lie within its bounds belong to the set; to split the domain there.
  const Segment* SegmentWithin(const Domain& domain) const;

  /// Hull and common congruence of all members; the set is not empty.
  Interval Hull() const;
  Congruence CommonCongruence() const;
  /// Whether all values of `hull` that `congruence` admits are members. No member lies outside of
  /// either; the modulus is not 0.
  bool Fills(const Interval& hull, const Congruence& congruence) const;

 private:
  int64_t modulus_;
  std::map<int64_t, std::vector<Segment>> classes_;  // by residue; segments ascend, never touch
};

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_VALUES_H_
