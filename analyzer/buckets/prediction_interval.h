// Predicts the padding or cost of a new run as an interval.

#ifndef SHAPEWISE_BUCKETS_PREDICTION_INTERVAL_H_
#define SHAPEWISE_BUCKETS_PREDICTION_INTERVAL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buckets/cost_model.h"
#include "buckets/plan_buckets.h"
#include "buckets/set_planner.h"
#include "model/size_history.h"
#include "result/bucket_report.h"

namespace shapewise {

/// The plan to predict for.
struct PlannedRun {
  const SizeHistory& history;
  uint64_t planned_calls = 0;  ///< number of calls used for planning, the first ones
  std::vector<Sizes> buckets;
  const std::vector<BucketLimits>& limits;
  const CostModel& cost;
  uint64_t new_calls = 0;  ///< length of the run to predict
};

/// Prediction intervals for one new run, or why they are missing.
struct NewRunPrediction {
  std::optional<ShareInterval> padding;
  std::optional<ShareInterval> cost_overhead;
  std::string gap;  ///< one sentence; empty: both intervals are present
};

/// Predicts padding and cost overhead of one new run of the same process at the nominal level of 95
/// %. Each call is measured with a plan made without it and its neighbours; the variance comes from
/// batch means, to account for bursts (analyzer/docs/buckets.md). Deterministic.
NewRunPrediction PredictNewRun(const PlannedRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_PREDICTION_INTERVAL_H_
