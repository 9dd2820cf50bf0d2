// Finds points that show which constraints are necessary.

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

/// Tests whether a set of constraints leaves no point outside of an exclusion. If a point is left,
/// at least one of the constraints that it violates is needed.
class Counterexamples {
 public:
  Counterexamples(const Model& model, std::span<const size_t> constraints,
                  const Exclusion& exclusion, Budget& budget);

  Sufficiency Test(std::span<const size_t> chosen);

 private:
  void MoveTo(std::vector<int64_t> point);
  /// Fewer missing constraints leave fewer sets to test: adds as many of these as can hold together
  /// with the satisfied ones.
  void Extend(std::span<const size_t> wanted);
  /// Finds similar points from one that violates a single constraint: a symbol of the constraint
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
  std::set<size_t> critical_;  // constraints that are the only violated one at some point
};

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_COUNTEREXAMPLES_H_
