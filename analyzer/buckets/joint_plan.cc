#include "buckets/joint_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "buckets/joint_bound.h"
#include "buckets/joint_grid.h"
#include "buckets/joint_planner.h"

namespace shapewise {
namespace {

bool HoldsSizes(const Sizes& bucket, const Sizes& call) {
  return call[0] <= bucket[0] && call[1] <= bucket[1] && call[2] <= bucket[2];
}

/// The bucket that serves `call`: the cheapest that fits; ties go to the first.
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

/// Drops buckets that serve no call, and lowers the others to the sizes of their calls if that
/// saves something; this uses sizes that were left out of the grid. `stays`: a bucket reserved for
/// future calls. `buckets` are ascending before and after.
void LowerAndDrop(const SizeHistogram& calls, const CostModel& cost,
                  const std::vector<AllowedSizes>& allowed, const std::optional<Sizes>& stays,
                  std::vector<Sizes>& buckets) {
  const std::vector<double> costs = CostsAt(calls, cost, buckets);
  std::vector<Sizes> lowered(buckets.size(), Sizes{0, 0, 0});
  for (const SizeCount& count : calls.counts) {
    Sizes& bucket = lowered[BucketOf(count.sizes, buckets, costs)];
    for (size_t dim = 0; dim < kMaxSizeDims; ++dim) {
      const int64_t size = count.sizes[dim];
      bucket[dim] = std::max(bucket[dim], dim < calls.dims ? allowed[dim].AtLeast(size) : 1);
    }
  }
  std::vector<Sizes> kept;
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] == stays) {
      kept.push_back(buckets[i]);
    } else if (lowered[i][0] > 0) {
      kept.push_back(CostAt(calls, cost, lowered[i]) < costs[i] ? lowered[i] : buckets[i]);
    }
  }
  std::ranges::sort(kept);
  kept.erase(std::ranges::unique(kept).begin(), kept.end());
  buckets = std::move(kept);
}

/// The cost of the calls with one bucket for each.
double LeastCost(const SizeHistogram& calls, const CostModel& cost,
                 const std::vector<AllowedSizes>& allowed) {
  if (!cost.points().empty()) return 0;
  double total = 0;
  for (const SizeCount& count : calls.counts) {
    Sizes bucket{1, 1, 1};
    for (size_t dim = 0; dim < calls.dims; ++dim) {
      bucket[dim] = allowed[dim].AtLeast(count.sizes[dim]);
    }
    total += static_cast<double>(count.calls) * CostAt(calls, cost, bucket);
  }
  return total * (1 - SumRounding(calls.counts.size()));
}

/// More buckets never need to cost more, so the bound for a larger number applies to smaller ones.
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
                                            const std::vector<size_t>& counts, JointEffort effort) {
  const SizeHistogram calls = CallsWithin(problem);
  if (calls.counts.empty()) return MakeError("there is no call to plan buckets for");
  Expected<std::vector<AllowedSizes>> allowed = AllowedInDims(problem, calls);
  if (!allowed) return allowed.takeError();
  const bool must_hold_corner = std::ranges::any_of(
      problem.limits, [](const BucketLimits& limits) { return limits.max > 0; });
  const JointGrid grid = MakeJointGrid(calls, problem.cost, *allowed, must_hold_corner);
  std::vector<JointSet> sets;
  if (counts.empty()) return sets;
  const double least = LeastCost(calls, problem.cost, *allowed);
  std::optional<Sizes> stays;
  if (grid.must_hold_corner) stays = grid.BucketAt(grid.corner());
  JointPlanner planner(grid, counts, effort);
  for (const size_t count : counts) {
    const PlannedCells planned = planner.Plan(std::max<size_t>(count, 1));
    JointSet set{.buckets = {}, .lower_bound = planned.lower_bound, .is_coarse = !grid.is_complete};
    for (const size_t cell : planned.set.cells) set.buckets.push_back(grid.BucketAt(cell));
    std::ranges::sort(set.buckets);
    LowerAndDrop(calls, problem.cost, *allowed, stays, set.buckets);
    uint64_t unserved = 0;
    set.cost = CostWith(calls, problem.cost, set.buckets, unserved);
    // Sets of the coarse grid do not get worse, but lowering may make them so.
    if (!sets.empty() && sets.back().buckets.size() <= count && set.cost >= sets.back().cost) {
      set.buckets = sets.back().buckets;
      set.cost = sets.back().cost;
    }
    set.lower_bound = std::max(set.lower_bound, least);
    // The cost of padding is an integer, so round the bound up.
    if (problem.cost.IsPaddingOnly()) set.lower_bound = std::ceil(set.lower_bound);
    set.lower_bound = std::min(set.lower_bound, set.cost);
    sets.push_back(std::move(set));
  }
  RaiseBounds(sets);
  return sets;
}

}  // namespace shapewise
