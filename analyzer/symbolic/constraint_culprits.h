// Smallest sets of constraints that suffice for something.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_CULPRITS_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_CULPRITS_H_

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "shapewise/symbolic/interval.h"

namespace shapewise::constraints {

/// What is known of a set of constraints.
struct Sufficiency {
  Truth suffices = Truth::kUnknown;
  /// Of kFalse: sets of which each sufficient set has a member, the tested one has none of the
  /// first; all ascend.
  std::vector<std::vector<size_t>> needed;
};

using SufficiencyTest = std::function<Sufficiency(std::span<const size_t> chosen)>;

struct MinimalSet {
  std::vector<size_t> chosen;  ///< ascending
  bool is_minimal = false;
};

/// The smallest subset of 0 to count - 1 that suffices, the first in lexicographic order among
/// those of its size. All together suffice, and what suffices does so with more. Every failed test
/// names constraints of which one is needed; only sets that hold one of each such list are tested.
/// Where those are too many, constraints are left out from the end as long as the rest suffices:
/// minimal, but a smaller set may exist.
MinimalSet FindMinimalSet(size_t count, const SufficiencyTest& test);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_CULPRITS_H_
