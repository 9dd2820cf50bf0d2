// Determines which policies to run: from a plan in a file, or from advice. The files of a replay's
// job, and the verdicts on its answer.

#ifndef SHAPEWISE_PIPELINE_REPLAY_PLAN_H_
#define SHAPEWISE_PIPELINE_REPLAY_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/call_history.h"
#include "model/compile_policy.h"
#include "pipeline/replay.h"
#include "result/advice.h"
#include "result/place.h"
#include "result/replay_report.h"
#include "support/error.h"
#include "support/text_input.h"

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

/// Names of files next to the job.
inline constexpr const char* kJobFile = "job.json";
inline constexpr const char* kCallsFile = "calls.jsonl";
inline constexpr const char* kGraphFile = "graph.py";

/// What to run.
struct ReplaySubject {
  /// "train.py:step", "package.module:Model.forward" of the user; empty: the captured graph
  std::string callable;
  std::string graph;                    ///< text of a captured graph as Python
  nlohmann::ordered_json graph_inputs;  ///< its placeholders in the form of shapewise.program/1
};

/// A policy with the name that identifies it in the answer.
struct NamedPolicy {
  std::string name;
  CompilePolicy policy;
};

/// The text of the job: shapewise.replay-job/1 (analyzer/docs/replay.md). `varied`: dims whose
/// costs by size are requested; empty: run policies.
std::string ReplayJobText(const ReplaySettings& settings, const ReplaySubject& subject,
                          const std::vector<NamedPolicy>& policies,
                          const std::vector<InputDim>& varied = {});

/// The calls of `history` as call records, one per line; consecutive equal calls are combined
/// (analyzer/docs/call-records.md).
std::string CallRecordText(const CallHistory& history, const Place& function);

/// Fills in the verdicts, seconds and break-evens of `report`, and the best policy. Policies are
/// compared by the time of `calls` calls including compiling; overlapping ranges are equal.
void JudgePolicies(uint64_t calls, ReplayReport& report);

/// Parses shapewise.replay/1 and adds measurements to the policies with the same names in `report`.
/// Missing or malformed parts are absent. Error: `text` is not such an answer.
Error ReadReplayAnswer(std::string_view text, ReplayReport& report);

/// A graph in a structured trace.
struct CapturedGraph {
  std::string name;               ///< "the captured graph 0/1"
  std::string text;               ///< the class in the trace, unchanged
  nlohmann::ordered_json inputs;  ///< its placeholders in the form of shapewise.program/1
};

/// Returns the graph with the most symbols that Dynamo passed to the backend for the function with
/// number `frame` in compile ids, from the traces among `paths`. `program_of` writes a graph as
/// shapewise.program/1. Error: no trace contains one.
Expected<CapturedGraph> FindCapturedGraph(const std::vector<std::string>& paths,
                                          std::optional<uint32_t> frame,
                                          const GraphProgramText& program_of, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_PLAN_H_
