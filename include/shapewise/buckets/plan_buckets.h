// The bucket-size advisor: from sizes and costs to a plan, with what it rests on.

#ifndef SHAPEWISE_BUCKETS_PLAN_BUCKETS_H_
#define SHAPEWISE_BUCKETS_PLAN_BUCKETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/buckets/cost_model.h"
#include "shapewise/buckets/cost_noise.h"
#include "shapewise/buckets/size_ladder.h"
#include "shapewise/buckets/size_line.h"
#include "shapewise/model/size_history.h"
#include "shapewise/result/bucket_report.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Prices of graphs and slowdowns of modes. Absent: not told, and then assumed, which the report
/// says.
struct ServingPrices {
  std::optional<double> compile_seconds;          ///< of one static graph
  std::optional<double> dynamic_compile_seconds;  ///< of a dynamic one
  std::optional<double> capture_seconds;          ///< of one CUDA graph; absent: none is captured
  std::optional<double> graph_megabytes;          ///< that one more graph holds
  std::optional<double> memory_megabytes;         ///< that all graphs may hold together
  std::optional<double> dynamic_slowdown;         ///< 0.1: a dynamic graph takes 10 % longer
  std::optional<double> aligned_slowdown;         ///< of a dynamic graph that knows the alignment
  std::optional<double> eager_slowdown;
  std::optional<double> captured_slowdown;  ///< of a captured dynamic graph; may be negative
  std::string compile_source;  ///< file that compile_seconds is from; empty: somebody told it
  std::string dynamic_compile_source;  ///< the same of dynamic_compile_seconds
};

/// What a call was measured to cost in other modes; absent: its slowdown holds.
struct ModeCosts {
  std::optional<CostModel> dynamic;
  std::optional<CostModel> aligned;
  std::optional<CostModel> captured;
  std::optional<CostModel> eager;
};

/// What to plan for.
struct PlanOptions {
  std::optional<size_t> buckets;                     ///< plan with at most so many
  std::optional<size_t> max_buckets;                 ///< plan with the best number up to this
  std::vector<BucketLimits> limits{BucketLimits{}};  ///< one a dim
  CostModel cost;
  ServingPrices prices;
  ModeCosts mode_costs;
  CostNoise noise;                  ///< of measured costs: ways that are closer are equal
  std::optional<uint64_t> steps;    ///< calls to come; absent: as many as were seen
  std::optional<double> holdout;    ///< plan without this last part; absent: plan on all
  std::vector<SizeLadder> ladders;  ///< to compare with
  bool is_censored = false;
};

/// Plans buckets for `history`. Everything in the report but `columns`, `inputs`, `simulations`
/// and `unread` is filled in. Error: no sizes, or limits that contradict each other.
Expected<BucketReport> PlanBuckets(const SizeHistory& history, const PlanOptions& options);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_PLAN_BUCKETS_H_
