// All ways to run the same calls, and which is best for how long a run.

#ifndef SHAPEWISE_BUCKETS_OUTCOMES_H_
#define SHAPEWISE_BUCKETS_OUTCOMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "buckets/call_table.h"
#include "buckets/serving_terms.h"
#include "shapewise/buckets/size_line.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// One way to run calls: its time grows along a line with their number.
struct ServingWay {
  ServingKind kind = ServingKind::kBucket;
  BucketMode mode = BucketMode::kBuckets;
  std::string name;
  size_t buckets = 0;
  size_t compiles = 0;
  double call = 0;      ///< mean cost of a call
  double overhead = 0;  ///< over the cost without padding
  double prices = 0;    ///< seconds, once
  bool is_assumed = false;

  double Seconds(double calls) const { return (call * calls) + prices; }
  /// What another way may take and still be as fast, where costs of calls are known to `noise`, a
  /// share; never less than a tie of 1 %.
  double SecondsWithin(double calls, double noise) const;
};

/// A set of static buckets that has `score`.
ServingWay BucketWay(const std::vector<Sizes>& buckets, const SetScore& score, size_t dims,
                     const ServingTerms& terms);

/// The ways without buckets of which enough is known: dynamic, aligned dynamic, eager.
std::vector<ServingWay> PlainWays(const CallTable& table, const ServingTerms& terms,
                                  int64_t alignment);

/// A way in which several kinds serve sizes.
struct MixedWay {
  ServingWay way;
  std::vector<ServedSizes> served;
};

/// Whether a mix has buckets and something else: without a bucket nothing is padded, and that is
/// no plan of buckets, however it is served.
bool IsRealMix(const MixedWay& mix);

/// The best mix for `steps` calls, of at most `max_graphs` buckets and captures; one dim, costs in
/// seconds.
MixedWay BestMix(const CallTable& table, const SizeLine& line, const ServingTerms& terms,
                 double steps, std::optional<size_t> max_graphs);

/// What a mix means for the calls of `table`. `calls_a_bucket` is of BucketsOf(served).
SetScore ScoreMix(const CallTable& table, const std::vector<ServedSizes>& served,
                  const ServingTerms& terms, int64_t alignment);

/// The sizes that a mix pads to, ascending.
std::vector<Sizes> BucketsOf(const std::vector<ServedSizes>& served);

/// Which of `ways` is best from 100 to 1e9 calls on; the points are where lines cross. Of sets of
/// buckets only those are told that have half as many again as the one told before.
std::vector<BreakEven> BreakEvens(const std::vector<ServingWay>& ways);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_OUTCOMES_H_
