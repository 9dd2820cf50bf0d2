#include "symbolic/constraint_components.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace shapewise::constraints {
namespace {

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

MinimalSet FindMinimalSet(size_t count, const SufficiencyTest& test) {
  return Minimisation(count, test).Run();
}

}  // namespace shapewise::constraints
