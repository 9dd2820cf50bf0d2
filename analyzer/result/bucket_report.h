// The result of `buckets`: the plan, its assumptions and its value.

#ifndef SHAPEWISE_RESULT_BUCKET_REPORT_H_
#define SHAPEWISE_RESULT_BUCKET_REPORT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/size_history.h"

namespace shapewise {

/// Ways to serve calls.
enum class ServingKind : uint8_t {
  kBucket,          ///< "bucket": pad to a size with its own static graph
  kDynamic,         ///< "dynamic": one graph for all sizes
  kAlignedDynamic,  ///< "aligned-dynamic": pad to the alignment, and use one graph that assumes it
  kDynamicRange,  ///< "dynamic-range": a graph for a range of sizes (mark_dynamic with min and max)
  kCaptured,      ///< "captured": a size with a CUDA graph captured from one dynamic graph
  kEager,         ///< "eager": not compiled
};
/// The word of it in results.
std::string_view ServingKindName(ServingKind kind);

/// Whether calls that are served in this way are padded to the last of the sizes.
inline bool IsPaddedKind(ServingKind kind) {
  return kind == ServingKind::kBucket || kind == ServingKind::kCaptured;
}

/// Whether a call of `sizes` fits `bucket`.
inline bool Holds(const Sizes& bucket, const Sizes& sizes) {
  return bucket[0] >= sizes[0] && bucket[1] >= sizes[1] && bucket[2] >= sizes[2];
}

/// The product of `sizes`.
inline double VolumeOf(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0, [](double volume, int64_t size) {
    return volume * static_cast<double>(size);
  });
}

/// The overall recommendation.
enum class BucketMode : uint8_t {
  kBuckets,  ///< "buckets": several static graphs
  kDynamic,  ///< "dynamic": one graph for all sizes
  kStatic,   ///< "static": all calls padded to one size
  kMixed,    ///< "mixed": buckets for frequent sizes, a dynamic graph for the rest
};
/// The word of a mode in results.
std::string_view BucketModeName(BucketMode mode);

/// Padded minus real elements, divided by real elements.
struct PaddingShare {
  double train = 0;  ///< on the calls used for planning
  /// On later calls; absent without later calls, or if calls have no order.
  /// Neither with more than one call in a hundred beyond the largest bucket: it would describe few.
  std::optional<double> holdout;
};

/// A point of the frontier: the best set of at most `buckets` buckets.
struct BucketPoint {
  size_t buckets = 0;
  std::vector<Sizes> boundaries;  ///< ascending; fewer than `buckets` if more save nothing
  PaddingShare padding;
  double cost_overhead = 0;                ///< cost divided by cost without padding, minus 1
  size_t compiles = 0;                     ///< number of compiled graphs
  std::optional<double> expected_seconds;  ///< calls and compiles; absent: costs are not in seconds
  std::optional<double> lower_bound;  ///< joint plans: no set has a lower cost_overhead than this
  double worst_call = 0;  ///< largest overhead of a single call: cost at its bucket divided by its
                          ///< own cost, minus 1
};

/// A 95 % prediction interval for a share in one new run.
struct ShareInterval {
  double low = 0;
  double high = 0;
};

/// Validation of the planning method on held-out calls.
struct HoldoutCheck {
  double fraction = 0;         ///< share of calls at the end that were held out
  uint64_t planned_calls = 0;  ///< number of calls before them
  uint64_t held_calls = 0;
  std::vector<Sizes> boundaries;  ///< the plan for the earlier calls
  double padding = 0;             ///< padding of that plan on the held-out calls that fit
  double best_padding = 0;        ///< lowest padding possible there with as many buckets
  double cost_overhead = 0;       ///< cost overhead of that plan there, by the planning cost
  double best_cost_overhead = 0;  ///< lowest cost overhead possible there with as many buckets
  uint64_t out_of_range = 0;      ///< held-out calls that do not fit: beyond the largest bucket

  /// Whether too many calls do not fit for the figures to describe the held-out calls.
  bool IsExceeded() const { return out_of_range * 100 > held_calls; }
};

/// Whether later calls resemble earlier ones.
struct SizeDrift {
  double distance = 0;  ///< Kolmogorov-Smirnov: largest difference between the two distributions
  double noise = 0;     ///< exceeded by one in a hundred permutations of blocks of calls
  /// Cost of the early plan on late calls over that of a plan made there, minus 1.
  double regret = 0;
  bool is_drifting = false;                    ///< larger than noise, and with a cost
  std::optional<uint64_t> replan_every_calls;  ///< hint; absent: not needed
};

/// One way to run everything, for comparing modes.
struct ModeOutcome {
  std::string name;  ///< "8 buckets", "one dynamic graph", "padded to 4096", "eager"
  BucketMode mode = BucketMode::kBuckets;
  size_t compiles = 0;
  double cost_overhead = 0;       ///< of the calls over their cost without padding, minus 1
  std::optional<double> seconds;  ///< calls and compiles
  bool is_assumed = false;        ///< its slowdown was not measured
};

/// The best mode for a run of a given length.
struct BreakEven {
  uint64_t from_calls = 0;
  std::string name;  ///< as in ModeOutcome::name
  size_t buckets = 0;
  double seconds_a_call = 0;  ///< at from_calls, including compiles
};

/// A list of sizes that another program ships, applied to these calls.
struct LadderComparison {
  std::string name;            ///< "vllm", or the name of the file
  std::string source;          ///< where the rule comes from
  std::vector<int64_t> sizes;  ///< sizes of the list that serve a call, including held-out calls
  uint64_t size_count = 0;     ///< number of sizes in the whole list, up to the largest call
  size_t used = 0;             ///< sizes that serve a call used for planning
  PaddingShare padding;
  double cost_overhead = 0;
  size_t same_waste_buckets = 0;   ///< fewest buckets of our own without a higher cost; 0: none
  double same_count_overhead = 0;  ///< cost overhead of our own buckets, as many as `used`
  uint64_t out_of_range = 0;       ///< calls beyond its largest size
};

/// Sizes of one dim that are served in one way.
struct ServedSizes {
  ServingKind kind = ServingKind::kBucket;
  int64_t first = 0;  ///< the smallest
  int64_t last = 0;   ///< the largest; for kBucket, the padded size
};

/// The largest size that `served[index]` serves. A bucket may be larger: then the sizes of the next
/// range begin below it.
inline int64_t LastServed(const std::vector<ServedSizes>& served, size_t index) {
  const int64_t last = served[index].last;
  return index + 1 < served.size() ? std::min(last, served[index + 1].first - 1) : last;
}

/// What Dynamo is predicted to do with one form of the plan.
struct PlanSimulation {
  std::string policy;  ///< "buckets(x, 1, 16|32) + mark_static(x, 1)"
  uint64_t compiles = 0;
  uint64_t eager_calls = 0;
  std::vector<std::string> traps;
};

/// The seconds to compile a graph.
struct CompilePrice {
  double seconds = 0;
  /// "told" (given by the user), "assumed", or the cost file whose median it is.
  std::string source;
};

/// The result of `buckets`.
struct BucketReport {
  size_t dims = 1;
  std::vector<std::string> columns;  ///< names of the dims
  std::vector<std::string> inputs;   ///< paths as given
  SizeHistogram histogram;           ///< all calls
  uint64_t planned_calls = 0;        ///< those used for planning; fewer with --holdout
  bool is_ordered = true;
  bool is_censored = false;  ///< sizes are from a log that prints only misses
  std::string cost_model;    ///< for people
  bool is_in_seconds = false;
  double cost_noise = 0;  ///< relative error of measured costs: smaller differences count as equal
  std::optional<CompilePrice> static_compile;   ///< absent: costs are not in seconds
  std::optional<CompilePrice> dynamic_compile;  ///< of one graph for all sizes
  uint64_t steps = 0;                           ///< expected calls
  int64_t alignment = 8;

  /// The sizes to pad to. With kDynamic they are the best set, but not the advice; with kMixed only
  /// calls that `served` assigns to one are padded.
  std::vector<Sizes> boundaries;
  PaddingShare padding;  ///< of the plan
  /// Sizes are upper bounds of the real ones: the padding of the plan is at least this.
  std::optional<double> least_padding;
  double cost_overhead = 0;
  /// For one new run of `steps` calls padded to `boundaries`. Absent: too few calls to predict it.
  std::optional<ShareInterval> padding_95;
  std::optional<ShareInterval> cost_overhead_95;
  std::vector<BucketPoint> frontier;     ///< by `buckets`
  size_t chosen = 0;                     ///< index of the plan in `frontier`
  std::vector<uint64_t> calls_a_bucket;  ///< of `boundaries`, in order
  std::vector<double> cost_a_bucket;     ///< of one call at each; empty: ordered by elements
  uint64_t out_of_range = 0;             ///< calls beyond --max
  /// Mode kMixed, one dim: how each range of sizes is served, ascending. Empty: each size goes to
  /// the next of `boundaries`, and larger sizes to the dynamic graph.
  std::vector<ServedSizes> served;

  BucketMode mode = BucketMode::kBuckets;
  /// How all sizes are served; with kMixed, see `served`.
  ServingKind way = ServingKind::kBucket;
  std::string why;
  std::vector<ModeOutcome> outcomes;  ///< best first
  std::vector<BreakEven> break_even;  ///< by from_calls; empty: costs are not in seconds
  double dynamic_slowdown = 0;        ///< relative slowdown of a dynamic graph
  double break_even_slowdown = 0;     ///< one dynamic graph is better below this slowdown
  std::vector<Sizes> warm_up;         ///< the plan, in compile order
  size_t recompile_limit = 8;         ///< recompile_limit to set

  std::optional<HoldoutCheck> holdout;
  std::optional<SizeDrift> drift;
  std::vector<LadderComparison> ladders;
  std::vector<PlanSimulation> simulations;
  std::vector<std::string> assumptions;  ///< assumptions instead of measurements, one sentence each
  std::vector<std::string> gaps;         ///< limits of the input, one sentence each
  std::vector<std::string> unread;       ///< one message per unreadable input
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_BUCKET_REPORT_H_
