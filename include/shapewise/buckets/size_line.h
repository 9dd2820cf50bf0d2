// The one-dimensional problem: sizes in order, how often each is called, what a bucket there costs.

#ifndef SHAPEWISE_BUCKETS_SIZE_LINE_H_
#define SHAPEWISE_BUCKETS_SIZE_LINE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shapewise/buckets/cost_model.h"
#include "shapewise/model/size_history.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Which sizes may be buckets.
struct BucketLimits {
  int64_t alignment = 8;  ///< buckets beyond kEverySizeTo are multiples of it
  int64_t min = 0;        ///< no bucket below; smaller calls pad up to it
  int64_t max = 0;  ///< the largest bucket serves at least this; 0: the largest size that came
  std::vector<int64_t> forced{};     ///< are buckets, whatever they cost
  std::vector<int64_t> forbidden{};  ///< are none
};

/// Up to here every size may be a bucket, whatever the alignment: short outputs need it.
inline constexpr int64_t kEverySizeTo = 32;

/// The smallest allowed bucket of at least `size`, without regard to cost, forced or forbidden.
int64_t AlignedSize(int64_t size, const BucketLimits& limits);

/// One place where a bucket may lie, and the calls between the place before and it.
struct SizeStop {
  int64_t size = 0;
  double weight = 0;    ///< calls that come here, expected (tail included), not negative
  double cost = 0;      ///< of one call padded to this place, at its `bucket`
  int64_t bucket = 0;   ///< the size of at least `size` that costs least: a slow size is passed by
  bool may_end = true;  ///< a bucket may be here; false: only served by later ones
  bool must_end = false;  ///< a bucket has to be here
};

/// Places in ascending order of size. The last may end, and serves the declared maximum.
struct SizeLine {
  std::vector<SizeStop> stops;
  /// Costs never fall from one stop that may end to the next, but for after one that must end: what
  /// the fast solvers rest on. Checked when the line is made, not assumed.
  bool is_monotone = true;
};

/// The share of the calls that is spread over the tail, times the root of their number.
inline constexpr double kTailShare = 0.5;

/// Gathers `histogram` (one dim) at the places that `limits` allow. Calls beyond `limits.max` are
/// left out. With `mix_tail`, kTailShare / sqrt(n) of the weight of all n calls is taken from all
/// stops alike and spread from the median call up to the last stop, evenly in the logarithm of the
/// size: each place that may be a bucket gets the stretch from the one before. What few calls do
/// not show is the tail; without this, 100 calls of a heavy-tailed stream plan 8 buckets that cost
/// several per cent more on the calls to come (analyzer/docs/buckets.md has the figures). Error: no
/// call, or limits that contradict each other.
Expected<SizeLine> MakeSizeLine(const SizeHistogram& histogram, const CostModel& cost,
                                const BucketLimits& limits, bool mix_tail);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SIZE_LINE_H_
