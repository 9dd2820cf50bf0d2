#include "symbolic/constraint_components.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace shapewise::constraints {

Component::Component(const ExprPool& pool, std::vector<DeclaredSymbol> symbols,
                     std::vector<IndexedPredicate> predicates, uint64_t steps)
    : symbols_(std::move(symbols)), predicates_(std::move(predicates)) {
  std::vector<ExprId> names;
  std::vector<Domain> domains;
  std::vector<ExprId> texts;
  texts.reserve(predicates_.size());
  for (const DeclaredSymbol& symbol : symbols_) {
    names.push_back(symbol.symbol);
    domains.push_back(symbol.domain);
  }
  for (const IndexedPredicate& predicate : predicates_) texts.push_back(predicate.predicate);
  model_ = std::make_unique<Model>(pool, names, domains, texts);
  constraints_.resize(predicates_.size());
  std::iota(constraints_.begin(), constraints_.end(), size_t{0});
  for (const size_t constraint : constraints_) is_partial_ |= model_->IsPartial(constraint);
  Budget budget(steps);
  solution_ = Search(*model_, constraints_, {}, budget).Run();
}

Truth Component::IsSatisfiable() const {
  if (solution_.is_satisfiable == Truth::kTrue && is_partial_) return Truth::kUnknown;
  return solution_.is_satisfiable;
}

MinimalSet Component::MinimalConflict(const Exclusion& exclusion, uint64_t steps) const {
  Budget budget(steps);
  Counterexamples counterexamples(*model_, constraints_, exclusion, budget);
  MinimalSet set = FindMinimalSet(constraints_.size(), [&](std::span<const size_t> chosen) {
    return counterexamples.Test(chosen);
  });
  for (size_t& chosen : set.chosen) chosen = predicates_[chosen].index;
  std::sort(set.chosen.begin(), set.chosen.end());
  return set;
}

std::vector<Component> SplitIntoComponents(const ExprPool& pool,
                                           std::span<const DeclaredSymbol> symbols,
                                           std::span<const IndexedPredicate> predicates,
                                           uint64_t steps) {
  std::map<ExprId, size_t> numbers;
  for (size_t i = 0; i < symbols.size(); ++i) numbers[symbols[i].symbol] = i;
  std::vector<size_t> parents(symbols.size());
  std::iota(parents.begin(), parents.end(), size_t{0});
  const auto root_of = [&](size_t symbol) {
    while (parents[symbol] != symbol) {
      parents[symbol] = parents[parents[symbol]];
      symbol = parents[symbol];
    }
    return symbol;
  };
  std::vector<std::vector<ExprId>> symbols_of;
  for (const IndexedPredicate& predicate : predicates) {
    symbols_of.push_back(pool.SymbolsOf(predicate.predicate));
    for (const ExprId symbol : symbols_of.back()) {
      parents[root_of(numbers.at(symbol))] = root_of(numbers.at(symbols_of.back().front()));
    }
  }
  struct Part {
    std::vector<DeclaredSymbol> symbols;
    std::vector<IndexedPredicate> predicates;
  };
  std::vector<Part> parts;
  std::map<size_t, size_t> part_of_root;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const auto [found, is_new] = part_of_root.try_emplace(root_of(i), parts.size());
    if (is_new) parts.emplace_back();
    parts[found->second].symbols.push_back(symbols[i]);
  }
  for (size_t i = 0; i < predicates.size(); ++i) {
    if (symbols_of[i].empty()) {
      parts.emplace_back().predicates.push_back(predicates[i]);
    } else {
      const size_t root = root_of(numbers.at(symbols_of[i].front()));
      parts[part_of_root.at(root)].predicates.push_back(predicates[i]);
    }
  }
  std::vector<Component> components;
  components.reserve(parts.size());
  for (Part& part : parts) {
    components.emplace_back(pool, std::move(part.symbols), std::move(part.predicates), steps);
  }
  return components;
}

}  // namespace shapewise::constraints
