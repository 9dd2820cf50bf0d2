#include "buckets/set_planner.h"

#include <algorithm>
#include <utility>

#include "buckets/call_table.h"
#include "buckets/frontier.h"

namespace shapewise {
namespace {

Expected<std::vector<PlannedSet>> PlanLine(const SizeHistogram& calls, const CostModel& cost,
                                           const BucketLimits& limits, size_t most,
                                           Foresight foresight) {
  Expected<SizeLine> line = MakeSizeLine(calls, cost, limits, foresight == Foresight::kTail);
  if (!line) return line.takeError();
  std::vector<BucketSet> sets = ExactFrontier(*line, most);
  std::vector<PlannedSet> planned;
  if (sets.empty()) return planned;
  // More buckets than this save nothing on the calls themselves.
  std::optional<BucketSet> all;
  if (foresight == Foresight::kTail) {
    Expected<SizeLine> seen = MakeSizeLine(calls, cost, limits, /*mix_tail=*/false);
    if (!seen) return seen.takeError();
    all = BestAtPrice(*seen, 0);
  }
  const size_t fewest = sets.front().sizes.size();
  for (size_t i = 0; i < sets.size() && fewest + i <= most; ++i) {
    const bool is_all = all && fewest + i >= all->sizes.size();
    planned.push_back({fewest + i, AsSizes((is_all ? *all : sets[i]).sizes), std::nullopt});
  }
  return planned;
}

}  // namespace

Expected<std::vector<PlannedSet>> SetPlanner::Plan(const SizeHistogram& calls,
                                                   const std::vector<size_t>& counts,
                                                   Foresight foresight, JointEffort effort) const {
  if (calls.dims == 1) return PlanLine(calls, cost_, limits_.front(), counts.back(), foresight);
  JointProblem problem;
  problem.calls = calls;
  problem.cost = cost_;
  std::copy_n(limits_.begin(), std::min(limits_.size(), kMaxSizeDims), problem.limits.begin());
  Expected<std::vector<JointSet>> sets = PlanJointly(problem, counts, effort);
  if (!sets) return sets.takeError();
  std::vector<PlannedSet> planned;
  for (size_t i = 0; i < sets->size() && i < counts.size(); ++i) {
    std::optional<double> bound;
    if (effort == JointEffort::kProven) bound = (*sets)[i].lower_bound;
    planned.push_back({counts[i], std::move((*sets)[i].buckets), bound});
  }
  return planned;
}

std::vector<Sizes> SetPlanner::PlanOne(const SizeHistogram& calls, size_t count,
                                       Foresight foresight) const {
  Expected<std::vector<PlannedSet>> sets = Plan(calls, {count}, foresight, JointEffort::kQuick);
  if (!sets) {
    llvm::consumeError(sets.takeError());
    return {};
  }
  return sets->empty() ? std::vector<Sizes>() : std::move(sets->back().buckets);
}

std::vector<size_t> DoublingCounts(size_t most) {
  std::vector<size_t> counts;
  for (size_t count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

}  // namespace shapewise
