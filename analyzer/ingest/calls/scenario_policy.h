// The policy of a scenario, and names shared with call records.

#ifndef SHAPEWISE_INGEST_CALLS_SCENARIO_POLICY_H_
#define SHAPEWISE_INGEST_CALLS_SCENARIO_POLICY_H_

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/call_history.h"
#include "model/compile_policy.h"

namespace shapewise {

/// A mark on a dim of an argument, and the calls to which it applies.
struct ScenarioMark {
  std::string argument;
  DimMark mark;
  std::optional<std::vector<int64_t>> calls;  ///< absent: all
};

/// Sizes that a dim of an argument is padded up to.
struct ScenarioBuckets {
  std::string argument;
  int64_t dim = 0;
  std::vector<int64_t> sizes;
};

/// A policy, and its parts that apply to the calls.
struct ScenarioPolicy {
  CompilePolicy policy;
  std::vector<ScenarioMark> marks;
  std::vector<ScenarioBuckets> buckets;
  std::map<int64_t, Stance> stances;  ///< by the call before which it is set
};

/// Reads the policy of a scenario. Options that are unknown or have an unexpected type are recorded
/// in CompilePolicy::unknown_options.
ScenarioPolicy ReadScenarioPolicy(simdjson::dom::object json);

/// The stance called `name`, such as "force_eager"; absent: unknown.
std::optional<Stance> StanceNamed(std::string_view name);

/// Reads {"dim": 0, "kind": "dynamic", "min": 2, "max": 64}; absent: `json` has another form.
std::optional<DimMark> ReadDimMark(simdjson::dom::object json);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_SCENARIO_POLICY_H_
