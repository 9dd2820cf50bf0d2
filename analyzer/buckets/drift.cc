// Whether sizes change in the course of a run, and what that costs a plan.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "buckets/call_table.h"
#include "buckets/validation.h"

namespace shapewise {
namespace {

/// Costs that differ by less are no reason to plan anew: about half of it is what any plan loses on
/// calls that it was not made from.
constexpr double kRegretThatMatters = 0.02;

/// The largest gap between the shares of calls of up to a size in `dim`.
double DistanceIn(size_t dim, const SizeHistogram& left, const SizeHistogram& right) {
  std::map<int64_t, std::array<uint64_t, 2>> calls;  // by size
  for (const SizeCount& size : left.counts) calls[size.sizes[dim]][0] += size.calls;
  for (const SizeCount& size : right.counts) calls[size.sizes[dim]][1] += size.calls;
  std::array<double, 2> sums = {0, 0};
  double distance = 0;
  for (const auto& [size, here] : calls) {
    sums[0] += static_cast<double>(here[0]) / static_cast<double>(left.calls);
    sums[1] += static_cast<double>(here[1]) / static_cast<double>(right.calls);
    distance = std::max(distance, std::abs(sums[0] - sums[1]));
  }
  return distance;
}

/// What chance alone exceeds once in a hundred times in one of `dims` dims (Smirnov's limit).
double NoiseOf(const SizeHistogram& left, const SizeHistogram& right) {
  const auto n = static_cast<double>(left.calls);
  const auto m = static_cast<double>(right.calls);
  const double level = 0.01 / static_cast<double>(left.dims);
  return std::sqrt(-std::log(level / 2) / 2 * (n + m) / (n * m));
}

/// What a plan made from one part costs on another, over what one made there costs, minus 1.
class RegretOver {
 public:
  RegretOver(const CostModel& cost, std::vector<BucketLimits> limits, size_t count)
      : limits_(std::move(limits)), planner_(cost, limits_), cost_(cost), count_(count) {}

  std::vector<Sizes> Plan(const SizeHistogram& calls, Foresight foresight) const {
    return planner_.PlanOne(calls, count_, foresight);
  }

  /// What a plan made from `calls` costs there.
  double Best(const SizeHistogram& calls) const {
    return CallTable(calls, cost_).Score(Plan(calls, Foresight::kNone)).cost;
  }

  /// `best`: Best(later).
  double Of(const std::vector<Sizes>& plan, const SizeHistogram& later, double best) const {
    const double cost = CallTable(later, cost_).Score(plan).cost;
    return best > 0 ? std::max(0.0, (cost / best) - 1) : 0;
  }

 private:
  std::vector<BucketLimits> limits_;
  SetPlanner planner_;
  const CostModel& cost_;
  size_t count_;
};

/// Every plan serves the largest size of the run: what is asked is where the others lie.
std::vector<BucketLimits> UpToLargest(const std::vector<BucketLimits>& limits,
                                      const SizeHistogram& all) {
  std::vector<BucketLimits> result = limits;
  result.resize(all.dims, limits.back());
  for (size_t dim = 0; dim < all.dims; ++dim) {
    if (result[dim].max > 0) continue;
    for (const SizeCount& size : all.counts) {
      result[dim].max = std::max(result[dim].max, size.sizes[dim]);
    }
  }
  return result;
}

/// After how many quarters of the run a plan has become too dear; 0: not within the run.
uint64_t QuartersUntilDear(const SizeHistory& history, const RegretOver& regret) {
  constexpr uint64_t kParts = 4;
  std::array<SizeHistogram, kParts> parts;
  std::array<std::vector<Sizes>, kParts> plans;
  std::array<double, kParts> best{};
  for (uint64_t i = 0; i < kParts; ++i) {
    parts[i] = history.Histogram(history.calls() * i / kParts, history.calls() * (i + 1) / kParts);
    if (parts[i].calls == 0) return 0;
    plans[i] = regret.Plan(parts[i], Foresight::kTail);
    best[i] = regret.Best(parts[i]);
  }
  for (uint64_t apart = 1; apart < kParts; ++apart) {
    double sum = 0;
    for (uint64_t i = 0; i + apart < kParts; ++i) {
      sum += regret.Of(plans[i], parts[i + apart], best[i + apart]);
    }
    if (sum > kRegretThatMatters * static_cast<double>(kParts - apart)) return apart;
  }
  return 0;
}

}  // namespace

std::optional<SizeDrift> FindDrift(const SizeHistory& history, const CostModel& cost,
                                   const std::vector<BucketLimits>& limits, size_t count) {
  const std::optional<TimeSplit> halves = SplitInTime(history, 0.5);
  if (!halves) return std::nullopt;
  SizeDrift drift;
  for (size_t dim = 0; dim < history.dims(); ++dim) {
    drift.distance = std::max(drift.distance, DistanceIn(dim, halves->before, halves->after));
  }
  drift.noise = NoiseOf(halves->before, halves->after);
  const RegretOver regret(cost, UpToLargest(limits, history.Histogram()), count);
  drift.regret = regret.Of(regret.Plan(halves->before, Foresight::kTail), halves->after,
                           regret.Best(halves->after));
  drift.is_drifting = drift.distance > drift.noise && drift.regret > kRegretThatMatters;
  if (drift.is_drifting) {
    const uint64_t quarters = QuartersUntilDear(history, regret);
    drift.replan_every_calls = history.calls() * (quarters == 0 ? 2 : quarters) / 4;
  }
  return drift;
}

}  // namespace shapewise
