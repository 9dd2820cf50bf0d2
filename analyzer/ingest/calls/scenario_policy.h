// The policy of a scenario, and the names that call records have in common with it.

#ifndef SHAPEWISE_INGEST_CALLS_SCENARIO_POLICY_H_
#define SHAPEWISE_INGEST_CALLS_SCENARIO_POLICY_H_

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"

namespace shapewise {

/// A mark on a dim of an argument, and the calls that carry it.
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

/// A policy, and the parts of it that are to be applied to the calls.
struct ScenarioPolicy {
  CompilePolicy policy;
  std::vector<ScenarioMark> marks;
  std::vector<ScenarioBuckets> buckets;
  std::map<int64_t, Stance> stances;  ///< by the call before which it is set
};

/// Reads a policy as scenarios have it. An option that is unknown, or of another type than
/// expected, is named in CompilePolicy::unknown_options.
ScenarioPolicy ReadScenarioPolicy(simdjson::dom::object json);

/// The stance called `name`: "force_eager"; absent: it is unknown.
std::optional<Stance> StanceNamed(std::string_view name);

/// Reads {"dim": 0, "kind": "dynamic", "min": 2, "max": 64}; absent: `json` is no such thing.
std::optional<DimMark> ReadDimMark(simdjson::dom::object json);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_SCENARIO_POLICY_H_
