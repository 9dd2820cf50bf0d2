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
  HeldOutCost cost;
  cost.of_plan = share_of(held.Score(buckets));
  cost.best = best.empty() ? cost.of_plan : share_of(held.Score(best));
  // A joint plan is not proven optimal, so the best known cost is the better of both.
  cost.best = std::min(cost.best, cost.of_plan);
  return cost;
}

/// The calls that fit one of `buckets`.
SizeHistogram FittingCalls(const SizeHistogram& calls, const std::vector<Sizes>& buckets) {
  SizeHistogram fitting{.dims = calls.dims, .rows = calls.rows, .counts = {}};
  for (const SizeCount& size : calls.counts) {
    const bool fits = std::ranges::any_of(
        buckets, [&](const Sizes& bucket) { return Holds(bucket, size.sizes); });
    if (!fits) continue;
    fitting.counts.push_back(size);
    fitting.calls += size.calls;
    fitting.real += size.real;
  }
  return fitting;
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
  // Both plans are measured on the same calls.
  const SizeHistogram fitting = FittingCalls(split.after, buckets);
  check.out_of_range = check.held_calls - fitting.calls;
  if (fitting.calls == 0) return check;
  const auto best_by = [&](const CostModel& objective) {
    const SetPlanner planner(objective, limits);
    return planner.PlanOne(fitting, buckets.size(), Foresight::kNone);
  };
  const CostModel padding_only;
  const HeldOutCost padding =
      CompareOn(CallTable(fitting, padding_only), buckets, best_by(padding_only),
                [](const SetScore& score) { return score.Padding(); });
  check.padding = padding.of_plan;
  check.best_padding = padding.best;
  const CallTable held(fitting, cost);
  const HeldOutCost by_cost = CompareOn(held, buckets, best_by(cost),
                                        [](const SetScore& score) { return score.Overhead(); });
  check.cost_overhead = by_cost.of_plan;
  check.best_cost_overhead = by_cost.best;
  return check;
}

}  // namespace shapewise
