// A plan of buckets as policies that can be run.

#ifndef SHAPEWISE_PIPELINE_BUCKET_POLICIES_H_
#define SHAPEWISE_PIPELINE_BUCKET_POLICIES_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipeline/replay_plan.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Reads `json`, which is what `shapewise buckets` printed, called `name` in messages. `dims`: what
/// is padded together, "x:1"; empty: as the columns are named. `fills`: what its padding holds. The
/// plan as it is, and beside it buckets alone, one size, and one dynamic graph. Error: it does not
/// tell what is padded, or has a way to serve sizes that no policy has.
Expected<ReplayPlan> ReadBucketPlan(const std::string& name, const nlohmann::json& json,
                                    const std::vector<std::string>& dims,
                                    const std::vector<InputFill>& fills);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_BUCKET_POLICIES_H_
