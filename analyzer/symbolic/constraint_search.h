// Searches for solutions: points, linear refutation, the search itself, all values of a variable.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_SEARCH_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "symbolic/constraint_domain.h"
#include "symbolic/constraint_model.h"
#include "symbolic/constraint_propagation.h"

namespace shapewise::constraints {

/// Evaluates constraints for given values of all symbols.
class PointEvaluator {
 public:
  explicit PointEvaluator(const Model& model);

  /// Sets the values, in the order of the model's symbols.
  void MoveTo(std::span<const int64_t> point);
  /// kUnknown: 64-bit overflow. A comparison with an undefined value (a division by zero) does not
  /// hold.
  Truth Holds(uint32_t formula) const;

 private:
  enum class State : uint8_t { kValue, kUndefined, kTooLarge };

  void Set(uint32_t variable, std::optional<Wide> value);
  State StateOf(std::span<const uint32_t> variables) const;
  /// `sum`: the value of `form`, if it has one.
  State Evaluate(const LinearForm& form, Wide& sum) const;

  const Model& model_;
  std::vector<int64_t> values_;
  std::vector<State> states_;
};

struct SearchResult {
  Truth is_satisfiable = Truth::kUnknown;
  std::vector<int64_t> point;  ///< for kTrue: values of the model's symbols
};

/// Which values to try first.
enum class Preference : uint8_t {
  kLow,   ///< near zero
  kHigh,  ///< the largest, if bounded
};

/// A search over one set of constraints of a model.
class Search {
 public:
  /// Points must satisfy the constraints with these indices; others are ignored.
  Search(const Model& model, std::span<const size_t> constraints, const Exclusion& exclusion,
         Budget& budget, Preference preference = Preference::kLow);

  /// Narrows before branching; false: no solution.
  bool NarrowRoot();
  const Domain& RootDomain(uint32_t variable) const { return root_.domains[variable]; }
  SearchResult Run();

 private:
  /// An unexplored part of the space: a state, and an additional requirement.
  struct Branch {
    enum class Kind : uint8_t { kRoot, kDomain, kFormula, kPropagator };
    SearchState state;
    Kind kind = Kind::kRoot;
    uint32_t index = 0;  ///< index of the variable, formula or propagator
    Domain domain;
  };

  /// Narrows, and pushes the remaining branches on the stack; true: a point was found.
  bool Visit(SearchState state);
  void Enter(Branch& branch);
  bool VisitLarge(const SearchState& state, std::span<const uint32_t> open);
  bool SplitExclusion(const SearchState& state);
  bool SplitAlternatives(const SearchState& state);
  bool SplitCases(const SearchState& state);
  bool SplitResidues(const SearchState& state);
  bool SplitAuxiliary(const SearchState& state);
  void SplitWindow(const SearchState& state, uint32_t variable);
  void SplitDomain(const SearchState& state, uint32_t variable);

  /// Fixes one variable at a time at its most likely value, with little backtracking.
  bool Dive(SearchState state);
  /// Symbols that are not fixed and still matter.
  std::vector<uint32_t> OpenSymbols(const SearchState& state) const;
  /// A value for a symbol whose value no longer matters.
  std::optional<int64_t> AnyValue(const SearchState& state, uint32_t variable) const;
  /// Whether the remaining point satisfies everything, by evaluation.
  bool Verify(const SearchState& state);

  const Model& model_;
  std::vector<size_t> constraints_;
  Exclusion exclusion_;
  Preference preference_;
  Budget& budget_;
  Propagation propagation_;
  PointEvaluator evaluator_;
  SearchState root_;
  std::vector<Branch> stack_;
  std::vector<int64_t> point_;
  bool is_complete_ = true;  // nothing was skipped
};

/// Whether the active linear propagators and the bounds of `state` were proven inconsistent:
/// Fourier-Motzkin elimination, equalities first, constants rounded for integers. False proves
/// nothing. Finds contradictions for which narrowing would not terminate (a < b and b < a without
/// bounds).
bool IsLinearlyRefuted(const Model& model, const SearchState& state, Budget& budget);

struct Projection {
  bool is_exact = false;  ///< `values` is complete; else it contains those found in time
  ValueSet values;
  Domain hull;  ///< superset of all values
};

/// The values that these constraints allow for a symbol of the model.
Projection Project(const Model& model, std::span<const size_t> constraints, uint32_t variable,
                   Budget& budget);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_SEARCH_H_
