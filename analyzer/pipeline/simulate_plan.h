// Predicts what Dynamo does with a plan of buckets, and with common mistakes in applying it.

#ifndef SHAPEWISE_PIPELINE_SIMULATE_PLAN_H_
#define SHAPEWISE_PIPELINE_SIMULATE_PLAN_H_

#include <vector>

#include "model/size_history.h"
#include "result/bucket_report.h"

namespace shapewise {

/// Simulates the calls of `history` (at most a million) under the plan of `report`, under the same
/// padding without marks, without a raised limit where it is needed, and under one dynamic graph.
/// Assumes a function of one tensor that asks nothing of its sizes. Undecided results are left out.
std::vector<PlanSimulation> SimulatePlan(const SizeHistory& history, const BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_SIMULATE_PLAN_H_
