// The bucket-size advisor: computes a plan from sizes and costs, and states its assumptions.

#ifndef SHAPEWISE_BUCKETS_PLAN_BUCKETS_H_
#define SHAPEWISE_BUCKETS_PLAN_BUCKETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "buckets/cost_model.h"
#include "buckets/ladders.h"
#include "buckets/size_line.h"
#include "model/size_history.h"
#include "result/bucket_report.h"
#include "support/error.h"

namespace shapewise {

/// Prices of graphs and slowdowns of modes. An absent value is assumed, and the report says so.
struct ServingPrices {
  std::optional<double> compile_seconds;          ///< of one static graph
  std::optional<double> dynamic_compile_seconds;  ///< of a dynamic one
  std::optional<double> capture_seconds;          ///< of one CUDA graph; absent: none is captured
  std::optional<double> graph_megabytes;          ///< memory per additional graph
  std::optional<double> memory_megabytes;         ///< memory limit of all graphs together
  std::optional<double> dynamic_slowdown;         ///< 0.1: a dynamic graph takes 10 % longer
  /// Of a dynamic graph whose sizes are known multiples of the alignment.
  std::optional<double> aligned_slowdown;
  std::optional<double> eager_slowdown;
  std::optional<double> captured_slowdown;  ///< of a captured dynamic graph; may be negative
  std::string compile_source;  ///< the file that compile_seconds is from; empty: given by the user
  std::string dynamic_compile_source;  ///< the same for dynamic_compile_seconds
};

/// Measured costs of a call in other modes; absent: the mode's slowdown applies.
struct ModeCosts {
  std::optional<CostModel> dynamic;
  std::optional<CostModel> aligned;
  std::optional<CostModel> captured;
  std::optional<CostModel> eager;
};

/// What to plan.
struct PlanOptions {
  std::optional<size_t> buckets;                     ///< exact number of buckets
  std::optional<size_t> max_buckets;                 ///< find the best number up to this one
  std::vector<BucketLimits> limits{BucketLimits{}};  ///< one per dim
  CostModel cost;
  ServingPrices prices;
  ModeCosts mode_costs;
  CostNoise noise;                ///< of measured costs: smaller differences count as equal
  std::optional<uint64_t> steps;  ///< expected calls; absent: as many as observed
  /// Hold out this last part for validation; absent: plan on all calls.
  std::optional<double> holdout;
  std::vector<SizeLadder> ladders;  ///< to compare with
  bool is_censored = false;
};

/// Plans buckets for `history`. Fills in everything in the report except `columns`, `inputs`,
/// `simulations` and `unread`. Error: no sizes, or contradictory limits.
Expected<BucketReport> PlanBuckets(const SizeHistory& history, const PlanOptions& options);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_PLAN_BUCKETS_H_
