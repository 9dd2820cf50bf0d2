// The engine of `shapewise predict`: from inputs to predictions.

#ifndef SHAPEWISE_PIPELINE_PREDICT_H_
#define SHAPEWISE_PIPELINE_PREDICT_H_

#include <memory>
#include <string>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/policy_text.h"
#include "dynamo/run_function.h"
#include "dynamo/simulator.h"
#include "ingest/call_record_reader.h"
#include "llvm/ADT/STLExtras.h"
#include "model/session.h"
#include "pipeline/load_run.h"
#include "result/prediction.h"
#include "support/text_input.h"

namespace shapewise {

class Redactor;

/// The inputs for scenarios.
struct ScenarioOptions {
  std::vector<std::string> paths;   ///< files of scenarios; "-": standard input
  const BodyFacts* body = nullptr;  ///< body of the function that all scenarios call; null: unknown
  SimulatorOptions simulator;
  Redactor* redactor = nullptr;  ///< rewrites what is read; null: unchanged
};

/// What was read.
struct ScenarioRun {
  std::vector<RecordFile> files;
  std::vector<std::string> unread;  ///< one message per unreadable input
  ScenarioTally tally;
};

/// Reads scenarios and passes on their answers in order; an answer is valid only during the call.
/// Without `options.body` only the category of a body is known.
ScenarioRun AnswerScenarios(const ScenarioOptions& options, FileSource& files,
                            llvm::function_ref<void(const ScenarioAnswer&)> answer);

/// The inputs for the prediction of a run.
struct RunPredictionOptions {
  std::vector<std::string> logs;     ///< traces and logs of the run
  std::vector<std::string> calls;    ///< call records, of the same run or of another
  std::vector<std::string> lengths;  ///< files of lengths, for `length_shape`
  std::string length_shape;          ///< a text for ParseLengthShape
  /// Body of functions whose body the logs do not show; null: unknown.
  const BodyFacts* body = nullptr;
  std::string function;                ///< only functions with this name; empty: all
  std::vector<PolicyChange> policies;  ///< what-ifs
  bool is_comparison = false;
  SimulatorOptions simulator;
  /// Rewrites what is read, and `function` and `policies` as well; null: unchanged.
  Redactor* redactor = nullptr;
};

/// What was read, and the prediction.
struct RunPrediction {
  Session session;
  std::vector<RecordFile> files;  ///< files of calls and lengths
  PredictionReport report;
};

/// Reads a run and simulates each function under its own policy, then under each of
/// `options.policies`. Unreadable inputs are listed in PredictionReport::unread. Error: a what-if
/// names a tensor that no function has, or `options.length_shape` is invalid.
Error PredictRun(const RunPredictionOptions& options, FileSource& files, RunPrediction& run);

/// The same for functions that are already read, into the empty `report`. `linked`: those of them
/// that are simulated together. Options on what to read are ignored. Error: as for PredictRun.
Error PredictFunctions(const RunPredictionOptions& options,
                       const std::vector<std::unique_ptr<RunFunction>>& functions,
                       const std::vector<LinkedFunctions>& linked, PredictionReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PREDICT_H_
