// Branch and prune: a point that satisfies constraints, or the proof that there is none.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_SEARCH_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "symbolic/constraint_point.h"
#include "symbolic/constraint_propagation.h"

namespace shapewise::constraints {

struct SearchResult {
  Truth is_satisfiable = Truth::kUnknown;
  std::vector<int64_t> point;  ///< of kTrue: values of the model's symbols
};

/// Which values are tried first.
enum class Preference : uint8_t {
  kLow,   ///< near zero
  kHigh,  ///< the greatest, where there is one
};

/// One search over one set of constraints of a model.
class Search {
 public:
  /// The points sought satisfy the constraints of these indices, and nothing is known of others.
  Search(const Model& model, std::span<const size_t> constraints, const Exclusion& exclusion,
         Budget& budget, Preference preference = Preference::kLow);

  /// Narrows before any branching; false: there is no solution.
  bool NarrowRoot();
  const Domain& RootDomain(uint32_t variable) const { return root_.domains[variable]; }
  SearchResult Run();

 private:
  /// A part of the space that is still to be looked at: a state, and what shall hold besides.
  struct Branch {
    enum class Kind : uint8_t { kRoot, kDomain, kFormula, kPropagator };
    SearchState state;
    Kind kind = Kind::kRoot;
    uint32_t index = 0;  ///< of the variable, the formula or the propagator
    Domain domain;
  };

  /// Narrows, and puts what is left to be looked at on the stack; true: a point was found.
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

  /// Fixes one variable after the other at its most likely value, without going back far.
  bool Dive(SearchState state);
  /// Symbols that are not fixed and whose value still matters.
  std::vector<uint32_t> OpenSymbols(const SearchState& state) const;
  /// A value for a symbol whose value does not matter any more.
  std::optional<int64_t> AnyValue(const SearchState& state, uint32_t variable) const;
  /// Whether the point that is left satisfies everything, by evaluation.
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
  bool is_complete_ = true;  // nothing was passed over
};

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_SEARCH_H_
