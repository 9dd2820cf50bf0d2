#include "shapewise/buckets/joint_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "buckets/joint_bound.h"
#include "buckets/joint_grid.h"
#include "buckets/joint_nested.h"
#include "buckets/joint_search.h"

namespace shapewise {
namespace {

/// Work for all counts together, in calls that a sweep of profits looks at: about two seconds.
constexpr double kTotalWork = 3e8;

/// Sweeps for one count, however many calls there are and however many counts.
constexpr double kLeastSweeps = 60;

/// Parts of the work of a count: one search by swaps, all rounds of the bound.
constexpr double kSwapPart = 0.1;
constexpr double kRoundsPart = 0.7;

/// Steps of the bound between two looks at what its fractional solution suggests.
constexpr size_t kStepsARound = 50;
constexpr size_t kMaxRounds = 12;

/// The bound has settled if a round raises it by less than this part.
constexpr double kSettled = 2e-5;

/// A plan that costs this part more than its bound is taken for the best.
constexpr double kProven = 1e-9;

/// Bounds of costs that are whole numbers are exact to this.
constexpr double kWhole = 1e-3;

bool HoldsSizes(const Sizes& bucket, const Sizes& call) {
  return call[0] <= bucket[0] && call[1] <= bucket[1] && call[2] <= bucket[2];
}

class JointPlanner {
 public:
  JointPlanner(const JointGrid& grid, const std::vector<size_t>& counts)
      : grid_(grid), search_(grid), bound_(grid) {
    const auto sweep = static_cast<double>(grid.clients.size() * (grid.cells() / grid.columns()));
    work_ = std::max(kTotalWork / static_cast<double>(counts.size()), kLeastSweeps * sweep);
    const size_t largest = std::min(counts.back(), grid.cells());
    if (grid.axes[0].sizes.size() > 1) return;
    for (const size_t outer : {size_t{1}, size_t{2}}) {
      nested_.push_back(NestedSets(grid, outer, largest));
    }
  }

  JointSet Plan(size_t count) {
    if (set_.cells.size() > count) set_ = {};
    ImproveOn(set_, count);
    for (const std::vector<std::vector<size_t>>& sets : nested_) {
      if (sets.empty()) continue;
      ImproveOn(search_.Evaluate(sets[std::min(count, sets.size()) - 1]), count);
    }
    JointSet found;
    found.lower_bound = IsExact() ? set_.cost : Prove(count);
    for (const size_t cell : set_.cells) found.buckets.push_back(grid_.BucketAt(cell));
    return found;
  }

 private:
  /// On a line every set is nested.
  bool IsExact() const {
    return grid_.is_complete && grid_.axes[1].sizes.size() == 1 && !nested_[1].empty();
  }

  /// Fills `set` up and swaps; kept if it is the best so far.
  void ImproveOn(CellSet set, size_t count) {
    search_.Add(set, count);
    search_.Swap(set, static_cast<uint64_t>(kSwapPart * work_));
    if (set.cost < set_.cost) set_ = std::move(set);
  }

  /// A lower bound, raised in rounds; after each the buckets that its fractional solution uses most
  /// are tried.
  double Prove(size_t count) {
    if (prices_.empty()) prices_ = search_.Prices(set_);
    bound_.Start(count, prices_);
    const uint64_t end =
        bound_.work() + search_.work() + static_cast<uint64_t>(kRoundsPart * work_);
    for (size_t round = 0; round < kMaxRounds; ++round) {
      const double before = bound_.bound();
      bound_.Climb(set_.cost, kStepsARound);
      if (set_.cost <= bound_.bound() * (1 + kProven)) break;
      const double cost = set_.cost;
      ImproveOn(MostUsed(count), count);
      if (bound_.work() + search_.work() > end) break;
      if (bound_.bound() < before * (1 + kSettled) && set_.cost >= cost && round > 2) break;
    }
    prices_ = bound_.prices();
    return bound_.bound();
  }

  CellSet MostUsed(size_t count) {
    const std::vector<double>& shares = bound_.shares();
    std::vector<size_t> cells;
    for (size_t cell = 0; cell < shares.size(); ++cell) {
      if (shares[cell] > 0 && cell != grid_.corner()) cells.push_back(cell);
    }
    const size_t kept = std::min(cells.size(), count - 1);
    std::ranges::nth_element(
        cells, cells.begin() + static_cast<std::ptrdiff_t>(kept),
        [&](size_t a, size_t b) { return shares[a] != shares[b] ? shares[a] > shares[b] : a < b; });
    cells.resize(kept);
    cells.push_back(grid_.corner());
    return search_.Evaluate(std::move(cells));
  }

  const JointGrid& grid_;
  JointSearch search_;
  JointBound bound_;
  double work_ = 0;  ///< that may be done for one count, in units of ProfitSweep
  std::vector<std::vector<std::vector<size_t>>> nested_;
  CellSet set_;
  std::vector<double> prices_;
};

/// The bucket that serves `call`: the cheapest that holds it, of equals the first.
size_t BucketOf(const Sizes& call, const std::vector<Sizes>& buckets,
                const std::vector<double>& costs) {
  size_t best = buckets.size();
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (!HoldsSizes(buckets[i], call)) continue;
    if (best == buckets.size() || costs[i] < costs[best]) best = i;
  }
  return best;
}

std::vector<double> CostsAt(const SizeHistogram& calls, const CostModel& cost,
                            const std::vector<Sizes>& buckets) {
  std::vector<double> costs;
  for (const Sizes& bucket : buckets) costs.push_back(CostAt(calls, cost, bucket));
  return costs;
}

/// Lowers each bucket to the sizes of the calls that it serves, where that saves something: sizes
/// that were left out of the grid are tried here. `stays`: a bucket that serves what may come.
void Lower(const SizeHistogram& calls, const CostModel& cost,
           const std::vector<AllowedSizes>& allowed, const std::optional<Sizes>& stays,
           std::vector<Sizes>& buckets) {
  const std::vector<double> costs = CostsAt(calls, cost, buckets);
  std::vector<Sizes> lowered(buckets.size(), Sizes{1, 1, 1});
  for (const SizeCount& count : calls.counts) {
    Sizes& bucket = lowered[BucketOf(count.sizes, buckets, costs)];
    for (size_t dim = 0; dim < calls.dims; ++dim) {
      bucket[dim] = std::max(bucket[dim], allowed[dim].AtLeast(count.sizes[dim]));
    }
  }
  const std::vector<double> lowered_costs = CostsAt(calls, cost, lowered);
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (lowered_costs[i] < costs[i] && buckets[i] != stays) buckets[i] = lowered[i];
  }
}

/// More buckets never need to cost more, so the bound of a larger number holds for smaller ones.
void RaiseBounds(std::vector<JointSet>& sets) {
  for (size_t i = sets.size(); i-- > 1;) {
    sets[i - 1].lower_bound = std::max(sets[i - 1].lower_bound, sets[i].lower_bound);
  }
}

}  // namespace

double CostWith(const SizeHistogram& calls, const CostModel& cost,
                const std::vector<Sizes>& buckets, uint64_t& unserved) {
  const std::vector<double> costs = CostsAt(calls, cost, buckets);
  unserved = 0;
  double total = 0;
  for (const SizeCount& count : calls.counts) {
    const size_t bucket = BucketOf(count.sizes, buckets, costs);
    if (bucket == buckets.size()) {
      unserved += count.calls;
    } else {
      total += static_cast<double>(count.calls) * costs[bucket];
    }
  }
  return total;
}

Expected<std::vector<JointSet>> PlanJointly(const JointProblem& problem,
                                            const std::vector<size_t>& counts) {
  const SizeHistogram calls = CallsWithin(problem);
  if (calls.counts.empty()) return MakeError("there is no call to plan buckets for");
  Expected<std::vector<AllowedSizes>> allowed = AllowedInDims(problem, calls);
  if (!allowed) return allowed.takeError();
  const bool must_hold_corner = std::ranges::any_of(
      problem.limits, [](const BucketLimits& limits) { return limits.max > 0; });
  const JointGrid grid = MakeJointGrid(calls, problem.cost, *allowed, must_hold_corner);
  std::vector<JointSet> sets;
  if (counts.empty()) return sets;
  JointPlanner planner(grid, counts);
  for (const size_t count : counts) {
    JointSet set = planner.Plan(std::max<size_t>(count, 1));
    set.is_coarse = !grid.is_complete;
    if (set.is_coarse) {
      std::optional<Sizes> stays;
      if (must_hold_corner) stays = grid.BucketAt(grid.corner());
      Lower(calls, problem.cost, *allowed, stays, set.buckets);
    }
    std::ranges::sort(set.buckets);
    set.buckets.erase(std::ranges::unique(set.buckets).begin(), set.buckets.end());
    uint64_t unserved = 0;
    set.cost = CostWith(calls, problem.cost, set.buckets, unserved);
    // Lowered buckets of a larger set may by chance be worse than those of a smaller one.
    if (!sets.empty() && sets.back().buckets.size() <= count && set.cost >= sets.back().cost) {
      set.buckets = sets.back().buckets;
      set.cost = sets.back().cost;
    }
    // The cost of padding is a whole number, so the bound is the next one.
    if (problem.cost.IsPaddingOnly()) set.lower_bound = std::ceil(set.lower_bound - kWhole);
    set.lower_bound = std::min(set.lower_bound, set.cost);
    sets.push_back(std::move(set));
  }
  RaiseBounds(sets);
  return sets;
}

}  // namespace shapewise
