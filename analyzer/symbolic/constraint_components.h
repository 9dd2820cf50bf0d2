// The independent components of a constraint system, and the smallest sets of culprits.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_COMPONENTS_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_COMPONENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "symbolic/constraint_search.h"
#include "symbolic/interval.h"

namespace shapewise::constraints {

/// A set of constraints that has a property.
struct MinimalSet {
  std::vector<size_t> chosen;  ///< ascending
  bool is_minimal = false;
};

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

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_COMPONENTS_H_
