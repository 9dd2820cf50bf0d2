// A replay: the job that is run, what it answers, and the verdict on each policy.

#ifndef SHAPEWISE_PIPELINE_REPLAY_JOB_H_
#define SHAPEWISE_PIPELINE_REPLAY_JOB_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/call_history.h"
#include "model/compile_policy.h"
#include "pipeline/replay.h"
#include "pipeline/replay_plan.h"
#include "result/place.h"
#include "result/replay_report.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

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

#endif  // SHAPEWISE_PIPELINE_REPLAY_JOB_H_
