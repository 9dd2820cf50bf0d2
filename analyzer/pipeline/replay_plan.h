// Determines which policies to run: from a plan in a file, or from advice.

#ifndef SHAPEWISE_PIPELINE_REPLAY_PLAN_H_
#define SHAPEWISE_PIPELINE_REPLAY_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/advice.h"
#include "result/place.h"
#include "support/error.h"

namespace shapewise {

/// A proposed policy.
struct ProposedPolicy {
  std::string words;              ///< in the syntax of ParsePolicy
  std::vector<size_t> actions{};  ///< indices of actions in the advice; empty: none corresponds
  Place target{};                 ///< the function that it is for; empty: any
  bool is_plan = false;           ///< the proposal as a whole
  bool is_required = false;       ///< it is an error if it does not apply to the function
};

/// A plan to run.
struct ReplayPlan {
  std::vector<std::string> inputs;  ///< paths of its original inputs
  std::vector<ProposedPolicy> policies;
  size_t by_hand = 0;               ///< actions that only a person can apply
  std::vector<std::string> padded;  ///< inputs that a plan of buckets pads
};

/// Whether `text` begins like a result of shapewise, a plan or another one.
bool IsSavedReport(std::string_view text);

/// A dim of an input.
struct InputDim {
  std::string name;  ///< in the form of NameOfSource()
  int64_t dim = 0;
};

/// Parses "x:1"; absent: another form.
std::optional<InputDim> ParseInputDim(std::string_view text);

/// The padding value of an input.
struct InputFill {
  std::string name;  ///< in the form of NameOfSource()
  std::string fill;  ///< a finite number, as written
};

/// Parses "labels=-100"; absent: another form.
std::optional<InputFill> ParseInputFill(std::string_view text);

/// Reads the JSON output of `shapewise advise` or `shapewise buckets`, called `name` in messages.
/// `dims`: dims that buckets pad together, "x:1"; empty: as in the plan. `fills`: padding values;
/// default 0. Error: not a plan, or the dims to pad are unknown.
Expected<ReplayPlan> ReadReplayPlan(const std::string& name, std::string_view text,
                                    const std::vector<std::string>& dims,
                                    const std::vector<InputFill>& fills);

/// The same for advice; indices refer to its actions.
ReplayPlan PlanOfAdvice(const Advice& advice);

/// Reads `json`, the output of `shapewise buckets`, called `name` in messages. `dims`: dims to pad
/// together, "x:1"; empty: as the columns are named. `fills`: padding values. Returns the plan
/// itself and, for comparison, buckets alone, one size, and one dynamic graph. Error: the dims to
/// pad are unknown, or the plan serves sizes in a way that no policy supports.
Expected<ReplayPlan> ReadBucketPlan(const std::string& name, const nlohmann::json& json,
                                    const std::vector<std::string>& dims,
                                    const std::vector<InputFill>& fills);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_PLAN_H_
