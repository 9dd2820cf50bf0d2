// Where the padding, or the cost, of a new run is expected to lie.

#ifndef SHAPEWISE_BUCKETS_PREDICTION_INTERVAL_H_
#define SHAPEWISE_BUCKETS_PREDICTION_INTERVAL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buckets/set_planner.h"
#include "shapewise/buckets/cost_model.h"
#include "shapewise/buckets/plan_buckets.h"
#include "shapewise/model/size_history.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// A plan to predict for.
struct PlannedRun {
  const SizeHistory& history;
  uint64_t planned_calls = 0;  ///< the plan was made from so many calls, the first ones
  std::vector<Sizes> buckets;
  const std::vector<BucketLimits>& limits;
  const CostModel& cost;
  uint64_t new_calls = 0;  ///< length of the run to predict
};

/// Prediction intervals for one new run, or the reason why they are missing.
struct NewRunPrediction {
  std::optional<ShareInterval> padding;
  std::optional<ShareInterval> cost_overhead;
  std::string gap;  ///< one sentence; empty: both intervals are given
};

/// Predicts the padding and the cost overhead of one new run of the same process at the nominal
/// level of 95 %. Each call is measured with a plan that was made without it and its neighbours;
/// the variance is that of batch means, so that bursts are accounted for
/// (analyzer/docs/buckets.md). The same input gives the same intervals.
NewRunPrediction PredictNewRun(const PlannedRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_PREDICTION_INTERVAL_H_
