// Parts of a constraint system: independent components, smallest sets of culprits, counterexamples.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_COMPONENTS_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_COMPONENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "symbolic/constraint_search.h"
#include "symbolic/interval.h"

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

/// A predicate with its index in the system.
struct IndexedPredicate {
  size_t index = 0;
  ExprId predicate = ExprId::kNone;
};

struct DeclaredSymbol {
  ExprId symbol = ExprId::kNone;
  Domain domain;
};

/// Variables and constraints that are connected with each other and with nothing else.
class Component {
 public:
  Component(const ExprPool& pool, std::vector<DeclaredSymbol> symbols,
            std::vector<IndexedPredicate> predicates, uint64_t steps);

  const std::vector<DeclaredSymbol>& symbols() const { return symbols_; }
  /// The index of `symbol` in symbols(), which must contain it.
  size_t NumberOf(ExprId symbol) const {
    return static_cast<size_t>(std::ranges::find(symbols_, symbol, &DeclaredSymbol::symbol) -
                               symbols_.begin());
  }
  const std::vector<IndexedPredicate>& predicates() const { return predicates_; }
  const Model& model() const { return *model_; }
  /// Indices of all constraints of the model.
  const std::vector<size_t>& constraints() const { return constraints_; }
  /// Whether some constraint, or part of one, is not understood; then a solution may be invalid.
  bool IsPartial() const { return is_partial_; }
  const SearchResult& solution() const { return solution_; }
  /// kTrue only if all constraints are understood.
  Truth IsSatisfiable() const;

  /// The smallest set of constraints under which every point satisfies `exclusion`; indices are
  /// those of the system. All constraints together must have this property.
  MinimalSet MinimalConflict(const Exclusion& exclusion, uint64_t steps) const;

 private:
  std::vector<DeclaredSymbol> symbols_;
  std::vector<IndexedPredicate> predicates_;
  std::unique_ptr<Model> model_;
  std::vector<size_t> constraints_;
  bool is_partial_ = false;
  SearchResult solution_;
};

/// Components in the order of their first symbols, those without a symbol last. `symbols` must
/// contain all symbols in `predicates`.
std::vector<Component> SplitIntoComponents(const ExprPool& pool,
                                           std::span<const DeclaredSymbol> symbols,
                                           std::span<const IndexedPredicate> predicates,
                                           uint64_t steps);

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

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_COMPONENTS_H_
