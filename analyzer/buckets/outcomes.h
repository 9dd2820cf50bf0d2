// All ways to run the same calls, and which is best for a run of a given length.

#ifndef SHAPEWISE_BUCKETS_OUTCOMES_H_
#define SHAPEWISE_BUCKETS_OUTCOMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "buckets/call_table.h"
#include "buckets/serving_terms.h"
#include "buckets/size_line.h"
#include "result/bucket_report.h"

namespace shapewise {

/// A way to run calls; its time is a linear function of their number.
struct ServingWay {
  ServingKind kind = ServingKind::kBucket;
  BucketMode mode = BucketMode::kBuckets;
  std::string name;
  size_t buckets = 0;
  size_t compiles = 0;
  double call = 0;      ///< mean cost of a call
  double overhead = 0;  ///< relative to the cost without padding
  double prices = 0;    ///< in seconds, paid once
  bool is_assumed = false;

  double Seconds(double calls) const { return (call * calls) + prices; }
  /// The time that another way may take and still count as equally fast, if costs have the relative
  /// error `noise`; at least a tie of 1 %.
  double SecondsWithin(double calls, double noise) const;
};

/// A set of static buckets with the evaluation `score`.
ServingWay BucketWay(const std::vector<Sizes>& buckets, const SetScore& score, size_t dims,
                     const ServingTerms& terms);

/// The ways without buckets whose costs are known: dynamic, aligned dynamic, eager.
std::vector<ServingWay> PlainWays(const CallTable& table, const ServingTerms& terms,
                                  int64_t alignment);

/// A way that combines several kinds.
struct MixedWay {
  ServingWay way;
  std::vector<ServedSizes> served;
};

/// Whether a mix has buckets and something else: without a bucket nothing is padded, so it is not a
/// plan of buckets.
bool IsRealMix(const MixedWay& mix);

/// The best mix for `steps` calls with at most `max_graphs` buckets and captures, whose graphs all
/// fit in memory; one dim, costs in seconds.
MixedWay BestMix(const CallTable& table, const SizeLine& line, const ServingTerms& terms,
                 double steps, std::optional<size_t> max_graphs);

/// Evaluates a mix on the calls of `table`. `calls_a_bucket` is in the order of BucketsOf(served).
SetScore ScoreMix(const CallTable& table, const std::vector<ServedSizes>& served,
                  const ServingTerms& terms, int64_t alignment);

/// The sizes that a mix pads to, ascending.
std::vector<Sizes> BucketsOf(const std::vector<ServedSizes>& served);

/// The best of `ways` from 100 to 1e9 calls; changes occur where lines cross. A set of buckets is
/// reported only if it has at least half as many again as the previous one.
std::vector<BreakEven> BreakEvens(const std::vector<ServingWay>& ways);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_OUTCOMES_H_
