// What is handed to the program that runs policies: a job, and the calls to make.

#ifndef SHAPEWISE_PIPELINE_REPLAY_JOB_H_
#define SHAPEWISE_PIPELINE_REPLAY_JOB_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipeline/replay_plan.h"
#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"
#include "shapewise/pipeline/replay.h"
#include "shapewise/result/place.h"

namespace shapewise {

/// Names of files beside the job.
inline constexpr const char* kJobFile = "job.json";
inline constexpr const char* kCallsFile = "calls.jsonl";
inline constexpr const char* kGraphFile = "graph.py";

/// What to run.
struct ReplaySubject {
  /// "train.py:step", "package.module:Model.forward": of the user's; empty: the captured graph
  std::string callable;
  std::string graph;                    ///< text of a captured graph as Python
  nlohmann::ordered_json graph_inputs;  ///< its placeholders, as shapewise.program/1 has them
};

/// A policy under the name by which the answer calls it.
struct NamedPolicy {
  std::string name;
  CompilePolicy policy;
};

/// The text of the job: shapewise.replay-job/1 (analyzer/docs/replay.md). `varied`: what has the
/// size whose costs are asked for; empty: policies are run.
std::string ReplayJobText(const ReplaySettings& settings, const ReplaySubject& subject,
                          const std::vector<NamedPolicy>& policies,
                          const std::vector<InputDim>& varied = {});

/// The calls of `history` as call records, one a line, calls in a row that are alike as one
/// (analyzer/docs/call-records.md).
std::string CallRecordText(const CallHistory& history, const Place& function);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_JOB_H_
