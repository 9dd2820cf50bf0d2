// What `shapewise predict` does between its inputs and its answers.

#ifndef SHAPEWISE_PIPELINE_PREDICT_H_
#define SHAPEWISE_PIPELINE_PREDICT_H_

#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "shapewise/dynamo/body.h"
#include "shapewise/dynamo/simulator.h"
#include "shapewise/ingest/scenario_reader.h"
#include "shapewise/result/prediction_report.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What answers to scenarios rest on.
struct ScenarioOptions {
  std::vector<std::string> paths;  ///< files of scenarios; "-": standard input
  const BodyFacts* body = nullptr;  ///< of the function that all scenarios call; null: not known
  SimulatorOptions simulator;
};

/// What became of one file of scenarios.
struct ScenarioFile {
  std::string path;
  JsonLineTotals totals;
};

/// What was read, beside the answers.
struct ScenarioRun {
  std::vector<ScenarioFile> files;
  std::vector<std::string> unread;  ///< one message an input that could not be read
  ScenarioTally tally;
};

/// Reads scenarios and gives out their answers, in order; an answer is valid for the call only.
/// Without `options.body` all that is known of bodies is their category.
ScenarioRun AnswerScenarios(const ScenarioOptions& options, FileSource& files,
                            llvm::function_ref<void(const ScenarioAnswer&)> answer);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PREDICT_H_
