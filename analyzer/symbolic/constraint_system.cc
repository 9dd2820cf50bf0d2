#include "symbolic/constraint_system.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "symbolic/constraint_components.h"
#include "symbolic/constraint_search.h"

namespace shapewise {

using constraints::Budget;
using constraints::Component;
using constraints::DeclaredSymbol;

using constraints::IndexedPredicate;
using constraints::MinimalSet;
using constraints::Projection;

namespace {

constraints::Domain DomainOf(const Interval& interval) {
  constraints::Domain domain;
  if (interval.lower) domain.RestrictLower(*interval.lower);
  if (interval.upper) domain.RestrictUpper(*interval.upper);
  return domain;
}

Interval IntervalOf(const constraints::Domain& domain) {
  Interval interval;
  if (domain.lower != constraints::kMinusInfinity) interval.lower = domain.lower;
  if (domain.upper != constraints::kPlusInfinity) interval.upper = domain.upper;
  return interval;
}

Congruence CongruenceOf(const constraints::Domain& domain) {
  if (domain.IsFixed()) return {0, domain.lower};
  return {static_cast<uint64_t>(domain.modulus), domain.remainder};
}

// Classifies a set of values relative to its original domain.
VariableAnalysis Describe(const constraints::ValueSet& values, const constraints::Domain& domain) {
  VariableAnalysis analysis;
  analysis.range = values.Hull();
  analysis.congruence = values.CommonCongruence();
  if (analysis.congruence.modulus == 0) {
    analysis.freedom = Freedom::kPinned;
    analysis.value = analysis.congruence.remainder;
  } else if (!values.Fills(analysis.range, analysis.congruence)) {
    analysis.freedom = Freedom::kRestricted;
  } else if (analysis.congruence.modulus >= 2) {
    analysis.freedom = Freedom::kDivisible;
  } else {
    analysis.freedom = analysis.range == IntervalOf(domain) ? Freedom::kFree : Freedom::kBounded;
  }
  return analysis;
}

}  // namespace

struct ConstraintSystem::State {
  State(ExprPool& expressions, uint64_t steps) : pool(expressions), budget(steps) {}

  void Declare(ExprId symbol, const constraints::Domain& domain) {
    const auto [found, is_new] = numbers.try_emplace(symbol, symbols.size());
    if (is_new) {
      symbols.push_back({symbol, domain});
    } else {
      symbols[found->second].domain.Restrict(domain);
    }
    Forget();
  }

  void Forget() {
    components.reset();
    conflict.reset();
  }

  const std::vector<Component>& Components() {
    if (components) return *components;
    components = constraints::SplitIntoComponents(pool, symbols, predicates, budget);
    component_of.clear();
    for (size_t i = 0; i < components->size(); ++i) {
      for (const DeclaredSymbol& symbol : (*components)[i].symbols()) {
        component_of[symbol.symbol] = i;
      }
    }
    return *components;
  }

  /// A smallest set of contradictory constraints over all components; absent: none known.
  const std::optional<MinimalSet>& Conflict() {
    if (conflict) return *conflict;
    conflict.emplace();
    for (const Component& component : Components()) {
      if (component.solution().is_satisfiable != Truth::kFalse) continue;
      MinimalSet set = component.MinimalConflict({}, budget);
      std::optional<MinimalSet>& best = *conflict;
      if (!best ||
          std::pair(set.chosen.size(), set.chosen) < std::pair(best->chosen.size(), best->chosen)) {
        best = std::move(set);
      }
    }
    return *conflict;
  }

  /// The components connected by `further`, to be solved again, and the unchanged ones.
  struct Extension {
    std::vector<Component> changed;
    std::vector<const Component*> unchanged;
  };
  Extension Extend(std::span<const ExprId> further) {
    Extension extension;
    const std::vector<Component>& known = Components();
    std::set<size_t> touched;
    std::set<ExprId> seen;
    std::vector<IndexedPredicate> changed_predicates;
    std::vector<DeclaredSymbol> changed_symbols;
    std::vector<DeclaredSymbol> new_symbols;
    for (const ExprId predicate : further) {
      for (const ExprId symbol : pool.SymbolsOf(predicate)) {
        const auto found = component_of.find(symbol);
        if (found != component_of.end()) {
          touched.insert(found->second);
        } else if (seen.insert(symbol).second) {
          new_symbols.push_back({symbol, {}});
        }
      }
    }
    for (size_t i = 0; i < known.size(); ++i) {
      if (touched.find(i) == touched.end()) {
        extension.unchanged.push_back(&known[i]);
        continue;
      }
      const Component& component = known[i];
      changed_symbols.insert(changed_symbols.end(), component.symbols().begin(),
                             component.symbols().end());
      changed_predicates.insert(changed_predicates.end(), component.predicates().begin(),
                                component.predicates().end());
    }
    changed_symbols.insert(changed_symbols.end(), new_symbols.begin(), new_symbols.end());
    for (size_t i = 0; i < further.size(); ++i) {
      changed_predicates.push_back({predicates.size() + i, further[i]});
    }
    extension.changed =
        constraints::SplitIntoComponents(pool, changed_symbols, changed_predicates, budget);
    return extension;
  }

  /// The projection of symbol number `variable` of `component`.
  Projection ProjectionOf(const Component& component, size_t variable) const {
    Budget steps(budget);
    return constraints::Project(component.model(), component.constraints(),
                                static_cast<uint32_t>(variable), steps);
  }

  VariableAnalysis Analyze(ExprId symbol);
  Interval RangeOf(ExprId symbol);

  ExprPool& pool;
  uint64_t budget;
  std::vector<DeclaredSymbol> symbols;
  std::vector<IndexedPredicate> predicates;
  std::map<ExprId, size_t> numbers;
  /// a predicate could not be read, and may concern any variable
  bool has_unread = false;
  // Computed on first use.
  std::optional<std::vector<Component>> components;
  std::map<ExprId, size_t> component_of;
  std::optional<std::optional<MinimalSet>> conflict;
};

VariableAnalysis ConstraintSystem::State::Analyze(ExprId symbol) {
  if (const std::optional<MinimalSet>& contradiction = Conflict()) {
    VariableAnalysis analysis;
    analysis.freedom = Freedom::kImpossible;
    analysis.range = {1, 0};
    analysis.culprits = contradiction->chosen;
    analysis.culprits_are_minimal = contradiction->is_minimal;
    return analysis;
  }
  const auto found = component_of.find(symbol);
  if (found == component_of.end()) {
    VariableAnalysis analysis;
    analysis.freedom = has_unread ? Freedom::kUnknown : Freedom::kFree;
    analysis.culprits_are_minimal = !has_unread;
    return analysis;
  }
  const Component& component = (*components)[found->second];
  const size_t variable = component.NumberOf(symbol);
  const Projection projection = ProjectionOf(component, variable);
  VariableAnalysis analysis;
  if (!projection.is_exact || projection.values.IsEmpty()) {
    analysis.range = IntervalOf(projection.hull);
    analysis.congruence = CongruenceOf(projection.hull);
    return analysis;
  }
  analysis = Describe(projection.values, component.symbols()[variable].domain);
  // A constraint that is not understood may remove values, but adds none.
  if ((has_unread || component.IsPartial()) && analysis.freedom != Freedom::kPinned) {
    analysis.freedom = Freedom::kUnknown;
    return analysis;
  }
  const MinimalSet culprits =
      analysis.freedom == Freedom::kFree
          ? MinimalSet{{}, true}
          : component.MinimalConflict({static_cast<uint32_t>(variable), &projection.values},
                                      budget);
  analysis.culprits = culprits.chosen;
  analysis.culprits_are_minimal = culprits.is_minimal;
  return analysis;
}

Interval ConstraintSystem::State::RangeOf(ExprId symbol) {
  const auto is_impossible = [](const Component& component) {
    return component.solution().is_satisfiable == Truth::kFalse;
  };
  if (std::ranges::any_of(Components(), is_impossible)) return {1, 0};
  const auto found = component_of.find(symbol);
  if (found == component_of.end()) return {};
  const Component& component = (*components)[found->second];
  const Projection projection = ProjectionOf(component, component.NumberOf(symbol));
  const bool has_all = projection.is_exact && !projection.values.IsEmpty();
  return has_all ? projection.values.Hull() : IntervalOf(projection.hull);
}

ConstraintSystem::ConstraintSystem(ExprPool& pool, uint64_t budget)
    : state_(std::make_unique<State>(pool, budget)) {}

ConstraintSystem::~ConstraintSystem() = default;

void ConstraintSystem::AddVariable(ExprId symbol, const Interval& domain) {
  state_->Declare(symbol, DomainOf(domain));
}

size_t ConstraintSystem::AddConstraint(ExprId predicate) {
  const size_t index = state_->predicates.size();
  state_->has_unread |= predicate == ExprId::kNone;
  for (const ExprId symbol : state_->pool.SymbolsOf(predicate)) state_->Declare(symbol, {});
  state_->predicates.push_back({index, predicate});
  state_->Forget();
  return index;
}

Truth ConstraintSystem::IsSatisfiable(std::span<const ExprId> further) const {
  Truth all = Truth::kTrue;
  const auto add = [&](const Component& component) {
    const Truth part = component.IsSatisfiable();
    if (all == Truth::kFalse || part == Truth::kFalse) {
      all = Truth::kFalse;
    } else if (part == Truth::kUnknown) {
      all = Truth::kUnknown;
    }
  };
  const State::Extension extension = state_->Extend(further);
  for (const Component* component : extension.unchanged) add(*component);
  for (const Component& component : extension.changed) add(component);
  return all;
}

VariableAnalysis ConstraintSystem::Analyze(ExprId symbol) const { return state_->Analyze(symbol); }

Interval ConstraintSystem::RangeOf(ExprId symbol) const { return state_->RangeOf(symbol); }

}  // namespace shapewise
