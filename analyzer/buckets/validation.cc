#include "buckets/validation.h"

#include <algorithm>
#include <cmath>

#include "buckets/call_table.h"

namespace shapewise {
namespace {

/// The cost of `buckets` on the held-out calls, and the least possible cost with as many.
struct HeldOutCost {
  double of_plan = 0;
  double best = 0;
};

/// `share_of`: a share of a SetScore; the minimum is that of `best`.
template <typename ShareOf>
HeldOutCost CompareOn(const CallTable& held, const std::vector<Sizes>& buckets,
                      const std::vector<Sizes>& best, ShareOf share_of) {
  const SetScore score = held.Score(buckets);
  HeldOutCost cost;
  cost.of_plan = share_of(score);
  cost.best = best.empty() ? cost.of_plan : share_of(held.Score(best));
  // A joint plan is not proven optimal, so the best known cost is the better of both.
  if (score.out_of_range == 0) cost.best = std::min(cost.best, cost.of_plan);
  return cost;
}

}  // namespace

std::optional<TimeSplit> SplitInTime(const SizeHistory& history, double fraction) {
  if (!history.is_ordered() || history.calls() < kLeastCallsToSplit) return std::nullopt;
  const auto held =
      static_cast<uint64_t>(std::llround(static_cast<double>(history.calls()) * fraction));
  const uint64_t cut = history.calls() - std::min(held, history.calls());
  TimeSplit split = {history.Histogram(0, cut), history.Histogram(cut, history.calls())};
  if (split.before.calls == 0 || split.after.calls == 0) return std::nullopt;
  return split;
}

HoldoutCheck CheckHeldOut(const TimeSplit& split, const std::vector<Sizes>& buckets,
                          const CostModel& cost, const std::vector<BucketLimits>& limits) {
  HoldoutCheck check;
  const auto all = static_cast<double>(split.before.calls + split.after.calls);
  check.fraction = static_cast<double>(split.after.calls) / all;
  check.planned_calls = split.before.calls;
  check.held_calls = split.after.calls;
  check.boundaries = buckets;
  const auto best_by = [&](const CostModel& objective) {
    const SetPlanner planner(objective, limits);
    return planner.PlanOne(split.after, buckets.size(), Foresight::kNone);
  };
  const CostModel padding_only;
  const HeldOutCost padding =
      CompareOn(CallTable(split.after, padding_only), buckets, best_by(padding_only),
                [](const SetScore& score) { return score.Padding(); });
  check.padding = padding.of_plan;
  check.best_padding = padding.best;
  const CallTable held(split.after, cost);
  const HeldOutCost by_cost = CompareOn(held, buckets, best_by(cost),
                                        [](const SetScore& score) { return score.Overhead(); });
  check.cost_overhead = by_cost.of_plan;
  check.best_cost_overhead = by_cost.best;
  check.out_of_range = held.Score(buckets).out_of_range;
  return check;
}

}  // namespace shapewise
