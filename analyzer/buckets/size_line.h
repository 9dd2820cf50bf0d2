// The one-dimensional problem: sizes in order, their frequencies, and the cost of a bucket at each.

#ifndef SHAPEWISE_BUCKETS_SIZE_LINE_H_
#define SHAPEWISE_BUCKETS_SIZE_LINE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/cost_model.h"
#include "model/size_history.h"
#include "support/error.h"

namespace shapewise {

/// Which sizes may be buckets.
struct BucketLimits {
  int64_t alignment = 8;  ///< buckets beyond kEverySizeTo are multiples of this
  int64_t min = 0;        ///< the smallest bucket; smaller calls are padded to it
  int64_t max = 0;        ///< the largest bucket is at least this; 0: the largest observed size
  std::vector<int64_t> forced{};     ///< always buckets, whatever they cost
  std::vector<int64_t> forbidden{};  ///< never buckets
};

/// Up to this size any size may be a bucket, regardless of alignment, because short outputs need
/// it.
inline constexpr int64_t kEverySizeTo = 32;

/// The smallest aligned size of at least `size`, ignoring costs and forced or forbidden sizes.
int64_t AlignedSize(int64_t size, const BucketLimits& limits);

/// A place where a bucket may be, and the calls between the previous place and it.
struct SizeStop {
  int64_t size = 0;
  double weight = 0;      ///< expected calls that end here (tail included), not negative
  double cost = 0;        ///< of one call padded to this place, at its `bucket`
  int64_t bucket = 0;     ///< the cheapest size of at least `size`, so that slow sizes are skipped
  bool may_end = true;    ///< a bucket may be here; false: calls go to a later one
  bool must_end = false;  ///< a bucket must be here
};

/// Places in ascending order of size. The last has may_end set and serves the declared maximum.
struct SizeLine {
  std::vector<SizeStop> stops;
  /// Whether costs never fall from one stop with may_end to the next, except after one with
  /// must_end. The fast solvers require this; it is checked when the line is made.
  bool is_monotone = true;
};

/// Largest share of the calls that is spread over the tail, times the square root of their number.
inline constexpr double kTailShare = 0.5;

/// Gathers `histogram` (one dim) at the places that `limits` allow; calls beyond `limits.max` are
/// ignored. With `mix_tail`, kTailShare / sqrt(n) of the weight of all n calls, but no more than
/// the share of calls at a place of their own, is taken evenly from all stops and spread from the
/// median call to the last stop, evenly in the logarithm of the size; each possible bucket receives
/// the share of the stretch before it. This models the tail that few calls do not show: without it,
/// 8 buckets planned on 100 calls of a heavy-tailed stream cost several per cent more on later
/// calls (figures: analyzer/docs/buckets.md). Error: no calls, or contradictory limits.
Expected<SizeLine> MakeSizeLine(const SizeHistogram& histogram, const CostModel& cost,
                                const BucketLimits& limits, bool mix_tail);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SIZE_LINE_H_
