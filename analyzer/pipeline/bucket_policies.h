// Converts a plan of buckets to policies that can be run.

#ifndef SHAPEWISE_PIPELINE_BUCKET_POLICIES_H_
#define SHAPEWISE_PIPELINE_BUCKET_POLICIES_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipeline/replay_plan.h"
#include "support/error.h"

namespace shapewise {

/// Reads `json`, the output of `shapewise buckets`, called `name` in messages. `dims`: dims to pad
/// together, "x:1"; empty: as the columns are named. `fills`: padding values. Returns the plan
/// itself and, for comparison, buckets alone, one size, and one dynamic graph. Error: the dims to
/// pad are unknown, or the plan serves sizes in a way that no policy supports.
Expected<ReplayPlan> ReadBucketPlan(const std::string& name, const nlohmann::json& json,
                                    const std::vector<std::string>& dims,
                                    const std::vector<InputFill>& fills);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_BUCKET_POLICIES_H_
