#include "symbolic/constraint_components.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace shapewise::constraints {
namespace {

// The result of a test of a set of constraints.
struct Sufficiency {
  Truth suffices = Truth::kUnknown;
  // For kFalse: every sufficient set contains an element of each of these lists, and the tested
  // set contains none of the first; all are ascending.
  std::vector<std::vector<size_t>> needed;
};

using SufficiencyTest = std::function<Sufficiency(std::span<const size_t> chosen)>;

// Tests whether a set of constraints leaves no point outside of an exclusion. If a point is left,
// at least one of the constraints that it violates is needed.
class Counterexamples {
 public:
  Counterexamples(const Model& model, std::span<const size_t> constraints,
                  const Exclusion& exclusion, Budget& budget)
      : model_(model),
        constraints_(constraints.begin(), constraints.end()),
        exclusion_(exclusion),
        budget_(budget),
        evaluator_(model) {}

  Sufficiency Test(std::span<const size_t> chosen) {
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

 private:
  void MoveTo(std::vector<int64_t> point) {
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

  // Fewer missing constraints leave fewer sets to test: adds as many of these as can hold together
  // with the satisfied ones.
  void Extend(std::span<const size_t> wanted) {
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

  // Finds similar points from one that violates a single constraint: a symbol of the constraint
  // takes the value of another one (Belov and Marques-Silva, "Accelerating MUS Extraction with
  // Recursive Model Rotation", FMCAD 2011).
  void Rotate(Sufficiency& result) {
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

using Set = std::vector<size_t>;

// Maximum number of candidates of one size. Twelve constraints have 924 subsets of six, so up to
// twelve constraints the smallest set is always found.
constexpr size_t kMostCandidates = 2000;

bool Meets(const Set& a, const Set& b) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    if (*left == *right) return true;
    ++(*left < *right ? left : right);
  }
  return false;
}

// Finds the smallest subset of 0 to count - 1 that suffices; ties go to the first in lexicographic
// order. All together must suffice, and supersets of sufficient sets too. Each failed test returns
// lists of which one element is needed; only sets that contain one element of each list are tested.
// If there are too many, constraints are dropped from the end as long as the rest suffices: the
// result is then minimal, but a smaller set may exist.
class Minimisation {
 public:
  Minimisation(size_t count, const SufficiencyTest& test) : count_(count), test_(test) {}

  MinimalSet Run() {
    for (size_t size = 0; size <= count_; size = std::max(size + 1, indispensable_.size())) {
      if (auto smallest = FindOfSize(size)) return {*smallest, true};
      if (gave_up_) break;
    }
    return LeaveOut();
  }

 private:
  // Whether a set may suffice, given the results of earlier tests.
  bool IsCandidate(const Set& set) const {
    return std::includes(set.begin(), set.end(), indispensable_.begin(), indispensable_.end()) &&
           std::all_of(needed_.begin(), needed_.end(),
                       [&](const Set& needed) { return Meets(set, needed); });
  }

  Truth Test(const Set& set) {
    Sufficiency result = test_(set);
    if (result.suffices != Truth::kFalse) return result.suffices;
    for (Set& needed : result.needed) {
      if (needed.size() > 1) {
        needed_.push_back(std::move(needed));
      } else if (!needed.empty()) {
        const auto place =
            std::lower_bound(indispensable_.begin(), indispensable_.end(), needed[0]);
        if (place == indispensable_.end() || *place != needed[0]) {
          indispensable_.insert(place, needed[0]);
        }
      }
    }
    return result.suffices;
  }

  // All sets of a size that contain one element of each list, grown from lists without one.
  void Grow(Set& set, size_t size, std::set<Set>& found) {
    if (found.size() > kMostCandidates || ++growths_ > 16 * kMostCandidates) {
      gave_up_ = true;
      return;
    }
    const auto unmet = std::find_if(needed_.begin(), needed_.end(),
                                    [&](const Set& needed) { return !Meets(set, needed); });
    if (unmet == needed_.end()) {
      // Smaller sets were all tested without success, so this one has the full size.
      if (set.size() == size) found.insert(set);
      return;
    }
    if (set.size() == size) return;
    for (const size_t element : *unmet) {
      Set larger = set;
      larger.insert(std::upper_bound(larger.begin(), larger.end(), element), element);
      Grow(larger, size, found);
      if (gave_up_) return;
    }
  }

  std::optional<Set> FindOfSize(size_t size) {
    std::set<Set> candidates;
    Set begun = indispensable_;
    growths_ = 0;
    if (begun.size() <= size) Grow(begun, size, candidates);
    if (gave_up_) return std::nullopt;
    for (const Set& candidate : candidates) {
      if (!IsCandidate(candidate)) continue;
      const Truth truth = Test(candidate);
      if (truth == Truth::kTrue) return candidate;
      if (truth == Truth::kUnknown) {
        gave_up_ = true;
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  MinimalSet LeaveOut() {
    MinimalSet result;
    result.chosen.resize(count_);
    std::iota(result.chosen.begin(), result.chosen.end(), size_t{0});
    result.is_minimal = true;
    // Large pieces first, so that many constraints with few culprits need few tests.
    for (size_t piece = std::max<size_t>(count_ / 2, 1);; piece /= 2) {
      size_t end = result.chosen.size();
      while (end > 0) {
        const size_t begin = end - std::min(piece, end);
        Set rest(result.chosen.begin(), result.chosen.begin() + static_cast<std::ptrdiff_t>(begin));
        rest.insert(rest.end(), result.chosen.begin() + static_cast<std::ptrdiff_t>(end),
                    result.chosen.end());
        end = begin;
        if (!IsCandidate(rest)) continue;
        const Truth truth = Test(rest);
        if (truth == Truth::kTrue) result.chosen = std::move(rest);
        if (truth == Truth::kUnknown && piece == 1) result.is_minimal = false;
      }
      if (piece == 1) break;
    }
    return result;
  }

  size_t count_;
  const SufficiencyTest& test_;
  std::vector<Set> needed_;  // every sufficient set contains at least one element of each
  Set indispensable_;        // the elements of lists with one member
  size_t growths_ = 0;
  bool gave_up_ = false;
};

}  // namespace

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
  MinimalSet set = Minimisation(constraints_.size(), [&](std::span<const size_t> chosen) {
                     return counterexamples.Test(chosen);
                   }).Run();
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
