// What leaves `buckets`: the plan, what it rests on, and what it is worth.

#ifndef SHAPEWISE_RESULT_BUCKET_REPORT_H_
#define SHAPEWISE_RESULT_BUCKET_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/size_history.h"

namespace shapewise {

/// Ways to serve calls.
enum class ServingKind : uint8_t {
  kBucket,          ///< "bucket": pad up to a size that has a static graph of its own
  kDynamic,         ///< "dynamic": one graph for all sizes
  kAlignedDynamic,  ///< "aligned-dynamic": pad to the alignment, and one graph that knows it
  kDynamicRange,    ///< "dynamic-range": a graph for a range of sizes (mark_dynamic with min, max)
  kCaptured,        ///< "captured": a size with a CUDA graph, captured from one dynamic graph
  kEager,           ///< "eager": not compiled
};
/// The word of it, as results have it.
std::string_view ServingKindName(ServingKind kind);

/// What is recommended as a whole.
enum class BucketMode : uint8_t {
  kBuckets,  ///< "buckets": several static graphs
  kDynamic,  ///< "dynamic": one graph for all sizes
  kStatic,   ///< "static": all calls padded to one size
  kMixed,    ///< "mixed": buckets where calls are many, a dynamic graph for the rest
};
/// The word of a mode, as results have it.
std::string_view BucketModeName(BucketMode mode);

/// Padded minus real, over real.
struct PaddingShare {
  double train = 0;               ///< of the calls that were planned on
  std::optional<double> holdout;  ///< of later calls; absent: there are none, or they have no order
};

/// One point of the frontier: the best set of at most so many buckets.
struct BucketPoint {
  size_t buckets = 0;
  std::vector<Sizes> boundaries;  ///< ascending; fewer than `buckets` where more save nothing
  PaddingShare padding;
  double cost_overhead = 0;                ///< cost over cost without padding, minus 1
  size_t compiles = 0;                     ///< graphs that are compiled
  std::optional<double> expected_seconds;  ///< calls and compiles; absent: costs are not in seconds
  std::optional<double> lower_bound;       ///< joint plans: no set has less cost_overhead
  double worst_call = 0;  ///< the most that one call pays: cost at its bucket over its own, minus 1
};

/// A 95 % prediction interval for a share of one new run.
struct ShareInterval {
  double low = 0;
  double high = 0;
};

/// How sure the planning is, measured on calls that it did not see.
struct HoldoutCheck {
  double fraction = 0;         ///< of the calls, at the end, that were held out
  uint64_t planned_calls = 0;  ///< before them
  uint64_t held_calls = 0;
  std::vector<Sizes> boundaries;  ///< the plan of the calls before
  double padding = 0;             ///< of that plan on the held-out calls
  double best_padding = 0;        ///< the least that as many buckets could have there
  double cost_overhead = 0;       ///< of that plan there, by the cost that it was planned for
  double best_cost_overhead = 0;  ///< the least that as many buckets could have there
  uint64_t out_of_range = 0;      ///< held-out calls larger than the largest bucket
};

/// Whether later calls look like earlier ones.
struct SizeDrift {
  double distance = 0;  ///< Kolmogorov-Smirnov: largest gap of the two shares of calls up to a size
  double noise = 0;     ///< what one in a hundred permutations of blocks of calls exceeds
  double regret = 0;    ///< cost of the early plan on late calls over that of a plan made there, -1
  bool is_drifting = false;                    ///< beyond noise, and it costs
  std::optional<uint64_t> replan_every_calls;  ///< hint; absent: no need
};

/// One way to run the whole, for the comparison of modes.
struct ModeOutcome {
  std::string name;  ///< "8 buckets", "one dynamic graph", "padded to 4096", "eager"
  BucketMode mode = BucketMode::kBuckets;
  size_t compiles = 0;
  double cost_overhead = 0;       ///< of the calls over their cost without padding, minus 1
  std::optional<double> seconds;  ///< calls and compiles
  bool is_assumed = false;        ///< its slowdown was not measured
};

/// Which mode is best for how long a run.
struct BreakEven {
  uint64_t from_calls = 0;
  std::string name;  ///< as ModeOutcome::name
  size_t buckets = 0;
  double seconds_a_call = 0;  ///< at from_calls, compiles included
};

/// The list of sizes that another program ships, on these calls.
struct LadderComparison {
  std::string name;            ///< "vllm", or the file's
  std::string source;          ///< where the rule is from
  std::vector<int64_t> sizes;  ///< of the list, those that serve a call, held-out ones included
  uint64_t size_count = 0;     ///< of the whole list, up to the largest call
  size_t used = 0;             ///< sizes that serve a call that was planned on
  PaddingShare padding;
  double cost_overhead = 0;
  size_t same_waste_buckets = 0;   ///< fewest buckets of ours with no more cost; 0: none has
  double same_count_overhead = 0;  ///< cost overhead of ours with as many buckets as are `used`
  uint64_t out_of_range = 0;       ///< calls larger than its largest size
};

/// Sizes of one dim that are served in one way.
struct ServedSizes {
  ServingKind kind = ServingKind::kBucket;
  int64_t first = 0;  ///< the smallest
  int64_t last = 0;   ///< the largest; of kBucket what they are padded to
};

/// What Dynamo is predicted to do with a way of writing the plan down.
struct PlanSimulation {
  std::string policy;  ///< "buckets(x, 1, 16|32) + mark_static(x, 1)"
  uint64_t compiles = 0;
  uint64_t eager_calls = 0;
  std::vector<std::string> traps;
};

/// What it takes to compile a graph, in seconds.
struct CompilePrice {
  double seconds = 0;
  std::string source;  ///< "told", "assumed", or the cost file that it is the median of
};

/// The answer of `buckets`.
struct BucketReport {
  size_t dims = 1;
  std::vector<std::string> columns;  ///< names of the dims
  std::vector<std::string> inputs;   ///< paths as given
  SizeHistogram histogram;           ///< all calls
  bool is_ordered = true;
  bool is_censored = false;  ///< the sizes came from a log that prints only misses
  std::string cost_model;    ///< as a person reads it
  bool is_in_seconds = false;
  double cost_noise = 0;  ///< share by which measured costs may be off: ways closer are equal
  std::optional<CompilePrice> static_compile;   ///< absent: costs are not in seconds
  std::optional<CompilePrice> dynamic_compile;  ///< of one graph for all sizes
  uint64_t steps = 0;                           ///< calls that are expected
  int64_t alignment = 8;

  /// The sizes to pad to. With kDynamic they are not what is advised, but the best set all the
  /// same; with kMixed only calls that `served` gives to one are padded.
  std::vector<Sizes> boundaries;
  PaddingShare padding;  ///< of the plan
  double cost_overhead = 0;
  /// For one new run of `steps` calls, padded to `boundaries`. Absent: too few calls to predict it.
  std::optional<ShareInterval> padding_95;
  std::optional<ShareInterval> cost_overhead_95;
  std::vector<BucketPoint> frontier;     ///< by `buckets`
  size_t chosen = 0;                     ///< the frontier's point that is the plan
  std::vector<uint64_t> calls_a_bucket;  ///< of `boundaries`, in their order
  std::vector<double> cost_a_bucket;     ///< of one call at each; empty: in order of elements
  uint64_t out_of_range = 0;             ///< calls larger than --max
  /// Mode kMixed, one dim: who serves which sizes, ascending. Empty: every size goes to the next
  /// of `boundaries`, and what is larger than all to the dynamic graph.
  std::vector<ServedSizes> served;

  BucketMode mode = BucketMode::kBuckets;
  /// What serves all sizes; with kMixed the ways of `served`.
  ServingKind way = ServingKind::kBucket;
  std::string why;
  std::vector<ModeOutcome> outcomes;  ///< best first
  std::vector<BreakEven> break_even;  ///< by from_calls; empty: costs are not in seconds
  double dynamic_slowdown = 0;        ///< share by which a dynamic graph is slower
  double break_even_slowdown = 0;     ///< one dynamic graph is better below this
  std::vector<Sizes> warm_up;         ///< the plan, in the order in which to compile
  size_t recompile_limit = 8;         ///< to set

  std::optional<HoldoutCheck> holdout;
  std::optional<SizeDrift> drift;
  std::vector<LadderComparison> ladders;
  std::vector<PlanSimulation> simulations;
  std::vector<std::string> assumptions;  ///< what was not measured, one sentence each
  std::vector<std::string> gaps;         ///< what the input could not tell, one sentence each
  std::vector<std::string> unread;       ///< one message an input that could not be read
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_BUCKET_REPORT_H_
