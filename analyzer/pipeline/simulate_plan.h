// What Dynamo does with a plan of buckets, and with the ways in which plans usually go wrong.

#ifndef SHAPEWISE_PIPELINE_SIMULATE_PLAN_H_
#define SHAPEWISE_PIPELINE_SIMULATE_PLAN_H_

#include <vector>

#include "shapewise/model/size_history.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// Simulates the calls of `history` (the first million of them) under the plan of `report`, under
/// the same padding without marks, without the limit raised where it has to be, and under one
/// dynamic graph. A function of one tensor that asks nothing of its sizes is assumed. What the
/// simulator cannot tell is left out.
std::vector<PlanSimulation> SimulatePlan(const SizeHistory& history, const BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_SIMULATE_PLAN_H_
