// Validates plans on calls they were not made from, and detects drift.

#ifndef SHAPEWISE_BUCKETS_VALIDATION_H_
#define SHAPEWISE_BUCKETS_VALIDATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buckets/plan_buckets.h"
#include "buckets/set_planner.h"
#include "result/bucket_report.h"

namespace shapewise {

/// Fewer calls are not split: either part would be too small to be meaningful.
inline constexpr uint64_t kLeastCallsToSplit = 20;

/// Default share of held-out calls.
inline constexpr double kDefaultHoldout = 0.2;

/// A run, split in time.
struct TimeSplit {
  SizeHistogram before;
  SizeHistogram after;
};

/// Splits off the last `fraction` of the calls. Absent: they have no order, or are too few.
std::optional<TimeSplit> SplitInTime(const SizeHistory& history, double fraction);

/// Evaluates `buckets`, planned from `split.before`, on `split.after`: by `cost` and by padding.
HoldoutCheck CheckHeldOut(const TimeSplit& split, const std::vector<Sizes>& buckets,
                          const CostModel& cost, const std::vector<BucketLimits>& limits);

/// Compares the halves of a run: the distance of their distributions (maximum over the dims) with
/// its distribution over permutations of blocks of calls, and the cost on the second half of a plan
/// of `count` buckets made from the first. Absent: as for SplitInTime.
std::optional<SizeDrift> FindDrift(const SizeHistory& history, const CostModel& cost,
                                   const std::vector<BucketLimits>& limits, size_t count);

/// Index of the first call after part `part` of `count` equal parts of `calls` calls. Does not
/// overflow if `count` squared does not.
constexpr uint64_t EndOfPart(uint64_t calls, uint64_t count, uint64_t part) {
  return (calls / count * (part + 1)) + (calls % count * (part + 1) / count);
}

/// Divides the first `calls` calls of `history`, in order, into `count` equal parts: calls `visit`
/// for each stretch of calls of one size in one part, until it returns false. `real`: elements of
/// one of these calls that are not padding.
template <typename Visit>
void ForEachStretch(const SizeHistory& history, uint64_t calls, uint64_t count,
                    const Visit& visit) {
  uint64_t at = 0;
  uint64_t part = 0;
  history.ForEachRun([&](const Sizes& sizes, uint64_t of_size, double real) {
    const double real_of_one = real / static_cast<double>(of_size);
    while (of_size > 0 && part < count) {
      const uint64_t end = EndOfPart(calls, count, part);
      const uint64_t here = std::min(of_size, end - at);
      if (!visit(sizes, part, here, real_of_one)) return false;
      of_size -= here;
      at += here;
      if (at == end) ++part;
    }
    return part < count;
  });
}

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_VALIDATION_H_
