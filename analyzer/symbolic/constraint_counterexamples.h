// Points that show which constraints something cannot do without.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_COUNTEREXAMPLES_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_COUNTEREXAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "symbolic/constraint_culprits.h"
#include "symbolic/constraint_search.h"

namespace shapewise::constraints {

/// Whether sets of constraints leave no point outside of an exclusion. Where one is left, the
/// constraints that it violates are a set of which one is needed.
class Counterexamples {
 public:
  Counterexamples(const Model& model, std::span<const size_t> constraints,
                  const Exclusion& exclusion, Budget& budget);

  Sufficiency Test(std::span<const size_t> chosen);

 private:
  void MoveTo(std::vector<int64_t> point);
  /// The fewer constraints are missing, the fewer sets are left to be tested: adds as many of
  /// these as can be added together with those that are satisfied.
  void Extend(std::span<const size_t> wanted);
  /// From a point that violates one constraint only, others like it: a symbol of the constraint
  /// takes the value of another one (Belov and Marques-Silva, "Accelerating MUS Extraction with
  /// Recursive Model Rotation", FMCAD 2011).
  void Rotate(Sufficiency& result);

  const Model& model_;
  std::vector<size_t> constraints_;
  Exclusion exclusion_;
  Budget& budget_;
  PointEvaluator evaluator_;
  std::vector<int64_t> point_;
  std::vector<size_t> satisfied_;  // at the point, ascending
  std::vector<size_t> missing_;
  std::set<size_t> critical_;  // constraints that some point violates alone
};

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_COUNTEREXAMPLES_H_
