// What `shapewise predict` does between its inputs and its answers.

#ifndef SHAPEWISE_PIPELINE_PREDICT_H_
#define SHAPEWISE_PIPELINE_PREDICT_H_

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "shapewise/dynamo/body.h"
#include "shapewise/dynamo/policy_text.h"
#include "shapewise/dynamo/run_function.h"
#include "shapewise/dynamo/simulator.h"
#include "shapewise/ingest/scenario_reader.h"
#include "shapewise/model/session.h"
#include "shapewise/pipeline/record_file.h"
#include "shapewise/result/prediction_report.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

class Redactor;

/// What answers to scenarios rest on.
struct ScenarioOptions {
  std::vector<std::string> paths;   ///< files of scenarios; "-": standard input
  const BodyFacts* body = nullptr;  ///< of the function that all scenarios call; null: not known
  SimulatorOptions simulator;
  Redactor* redactor = nullptr;  ///< rewrites what is read; null: it stays
};

/// What was read, beside the answers.
struct ScenarioRun {
  std::vector<RecordFile> files;
  std::vector<std::string> unread;  ///< one message an input that could not be read
  ScenarioTally tally;
};

/// Reads scenarios and gives out their answers, in order; an answer is valid for the call only.
/// Without `options.body` all that is known of bodies is their category.
ScenarioRun AnswerScenarios(const ScenarioOptions& options, FileSource& files,
                            llvm::function_ref<void(const ScenarioAnswer&)> answer);

/// What a prediction of a run rests on.
struct RunPredictionOptions {
  std::vector<std::string> logs;       ///< traces and logs of the run
  std::vector<std::string> calls;      ///< call records, of the same run or of none
  std::vector<std::string> lengths;    ///< files of lengths, for `length_shape`
  std::string length_shape;            ///< what ParseLengthShape reads
  const BodyFacts* body = nullptr;     ///< of functions of which the logs tell no body; null: none
  std::string function;                ///< only functions of this name; empty: all
  std::vector<PolicyChange> policies;  ///< what-ifs
  bool is_comparison = false;
  SimulatorOptions simulator;
  /// Rewrites what is read, and with it `function` and `policies`; null: all stays.
  Redactor* redactor = nullptr;
};

/// What was read, and what is predicted.
struct RunPrediction {
  Session session;
  std::vector<RecordFile> files;  ///< of calls and lengths
  PredictionReport report;
};

/// Reads a run, replays each function under its own policy, then under each of
/// `options.policies`. What cannot be read is told in PredictionReport::unread. Error: a what-if
/// names a tensor that no function has, or `options.length_shape` is none.
Error PredictRun(const RunPredictionOptions& options, FileSource& files, RunPrediction& run);

/// The same of functions that were read before, into `report`, which is new. Of `options` only what
/// is to be predicted is looked at, not what to read. Error: as there.
Error PredictFunctions(const RunPredictionOptions& options,
                       const std::vector<std::unique_ptr<RunFunction>>& functions,
                       PredictionReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PREDICT_H_
