// How far a plan can be trusted: measured on calls it was not made from, and watched over time.

#ifndef SHAPEWISE_BUCKETS_VALIDATION_H_
#define SHAPEWISE_BUCKETS_VALIDATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buckets/set_planner.h"
#include "shapewise/buckets/plan_buckets.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// Fewer calls are not cut in two: either part would be too small to tell anything.
inline constexpr uint64_t kLeastCallsToSplit = 20;

/// The share that is held out for the check where nobody says.
inline constexpr double kDefaultHoldout = 0.2;

/// A run, cut in time.
struct TimeSplit {
  SizeHistogram before;
  SizeHistogram after;
};

/// Cuts off the last `fraction` of the calls. Absent: they have no order, or are too few.
std::optional<TimeSplit> SplitInTime(const SizeHistory& history, double fraction);

/// Measures `buckets`, planned from `split.before`, on `split.after`: by `cost`, and by padding.
HoldoutCheck CheckHeldOut(const TimeSplit& split, const std::vector<Sizes>& buckets,
                          const CostModel& cost, const std::vector<BucketLimits>& limits);

/// Compares the halves of a run: the distance of their distributions (the largest over the dims)
/// with its distribution over permutations of blocks of calls, and what a plan of `count` buckets
/// made from the first costs on the second. Absent as for SplitInTime.
std::optional<SizeDrift> FindDrift(const SizeHistory& history, const CostModel& cost,
                                   const std::vector<BucketLimits>& limits, size_t count);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_VALIDATION_H_
