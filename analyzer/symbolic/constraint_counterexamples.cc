#include "symbolic/constraint_components.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shapewise::constraints {

Counterexamples::Counterexamples(const Model& model, std::span<const size_t> constraints,
                                 const Exclusion& exclusion, Budget& budget)
    : model_(model),
      constraints_(constraints.begin(), constraints.end()),
      exclusion_(exclusion),
      budget_(budget),
      evaluator_(model) {}

Sufficiency Counterexamples::Test(std::span<const size_t> chosen) {
  Sufficiency result;
  SearchResult found = Search(model_, chosen, exclusion_, budget_).Run();
  if (found.is_satisfiable == Truth::kUnknown) return result;
  if (found.is_satisfiable == Truth::kFalse) {
    result.suffices = Truth::kTrue;
    return result;
  }
  result.suffices = Truth::kFalse;
  MoveTo(std::move(found.point));
  const std::vector<size_t> wanted = missing_;
  Extend(wanted);
  result.needed.push_back(missing_);
  if (missing_.size() == 1) Rotate(result);
  return result;
}

void Counterexamples::MoveTo(std::vector<int64_t> point) {
  point_ = std::move(point);
  budget_.Spend(constraints_.size());
  evaluator_.MoveTo(point_);
  satisfied_.clear();
  missing_.clear();
  for (const size_t constraint : constraints_) {
    // Undecided constraints count as missing, which only causes more tests.
    const Truth holds = evaluator_.Holds(model_.constraint(constraint));
    (holds == Truth::kTrue ? satisfied_ : missing_).push_back(constraint);
  }
}

void Counterexamples::Extend(std::span<const size_t> wanted) {
  std::vector<size_t> added;
  std::set_difference(wanted.begin(), wanted.end(), satisfied_.begin(), satisfied_.end(),
                      std::back_inserter(added));
  // Something must be missing, or there would be no counterexample.
  if (added.empty() || budget_.IsSpent()) return;
  if (added.size() < missing_.size() || added.size() == 1) {
    std::vector<size_t> more;
    std::set_union(satisfied_.begin(), satisfied_.end(), added.begin(), added.end(),
                   std::back_inserter(more));
    if (more.size() < constraints_.size()) {
      SearchResult better = Search(model_, more, exclusion_, budget_).Run();
      if (better.is_satisfiable == Truth::kTrue) {
        MoveTo(std::move(better.point));
        return;
      }
    }
  }
  if (added.size() == 1) return;
  const std::span<const size_t> all = added;
  Extend(all.first(added.size() / 2));
  Extend(all.subspan(added.size() / 2));
}

void Counterexamples::Rotate(Sufficiency& result) {
  critical_.insert(missing_[0]);
  std::vector<std::pair<std::vector<int64_t>, size_t>> open = {{point_, missing_[0]}};
  while (!open.empty() && !budget_.IsSpent()) {
    const auto [point, violated] = std::move(open.back());
    open.pop_back();
    const std::vector<uint32_t>& symbols = model_.SymbolsOfFormula(model_.constraint(violated));
    for (const uint32_t symbol : symbols) {
      for (const uint32_t other : symbols) {
        std::vector<int64_t> turned = point;
        turned[symbol] = point[other];
        if (turned == point || !model_.variables()[symbol].domain.Contains(turned[symbol])) {
          continue;
        }
        if (exclusion_.values != nullptr && exclusion_.variable == symbol &&
            exclusion_.values->Contains(turned[symbol])) {
          continue;
        }
        MoveTo(std::move(turned));
        if (missing_.size() != 1 || !critical_.insert(missing_[0]).second) continue;
        result.needed.push_back(missing_);
        open.emplace_back(point_, missing_[0]);
      }
    }
  }
}

}  // namespace shapewise::constraints
