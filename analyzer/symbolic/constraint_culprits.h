// Finds smallest sufficient sets of constraints.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_CULPRITS_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_CULPRITS_H_

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "shapewise/symbolic/interval.h"

namespace shapewise::constraints {

/// The result of a test of a set of constraints.
struct Sufficiency {
  Truth suffices = Truth::kUnknown;
  /// For kFalse: every sufficient set contains an element of each of these lists, and the tested
  /// set contains none of the first; all are ascending.
  std::vector<std::vector<size_t>> needed;
};

using SufficiencyTest = std::function<Sufficiency(std::span<const size_t> chosen)>;

struct MinimalSet {
  std::vector<size_t> chosen;  ///< ascending
  bool is_minimal = false;
};

/// Returns the smallest subset of 0 to count - 1 that suffices; ties go to the first in
/// lexicographic order. All together must suffice, and supersets of sufficient sets too. Each
/// failed test returns lists of which one element is needed; only sets that contain one element of
/// each list are tested. If there are too many, constraints are dropped from the end as long as the
/// rest suffices: the result is then minimal, but a smaller set may exist.
MinimalSet FindMinimalSet(size_t count, const SufficiencyTest& test);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_CULPRITS_H_
