#include <utility>

#include "ingest/json_line_totals.h"
#include "pipeline/predict.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

Prediction Unmodelled(std::string why) {
  Prediction prediction;
  prediction.why = std::move(why);
  return prediction;
}

Prediction Predict(const Scenario& scenario, const BodyFacts* body,
                   const SimulatorOptions& options) {
  if (!scenario.damage.empty()) return Unmodelled("the scenario is damaged: " + scenario.damage);
  if (!scenario.policy.unknown_options.empty()) {
    std::string names = Joined(scenario.policy.unknown_options, ", ");
    return Unmodelled("the policy sets what is not modelled: " + names);
  }
  if (body != nullptr) return Simulate(scenario.history, *body, scenario.policy, options);
  BodyFacts of_category = BodyOfCategory(scenario.category);
  BodyFrame& frame = of_category.frames.front();
  frame.name = scenario.function;
  if (frame.unknown_because == "the body is not known" && !scenario.function.empty()) {
    frame.unknown_because = "the body of " + scenario.function + " is not known";
  }
  return Simulate(scenario.history, of_category, scenario.policy, options);
}

}  // namespace

ScenarioRun AnswerScenarios(const ScenarioOptions& options, FileSource& files,
                            llvm::function_ref<void(const ScenarioAnswer&)> answer) {
  ScenarioRun run;
  const auto handle = [&](const Scenario& scenario) {
    ScenarioAnswer one;
    one.index = run.tally.answers++;
    one.id = scenario.id;
    one.function = scenario.function;
    one.prediction = Predict(scenario, options.body, options.simulator);
    if (one.prediction.is_exact) ++run.tally.exact;
    answer(one);
  };
  for (const std::string& given : options.paths) {
    Expected<std::vector<std::string>> paths = files.Expand(given);
    if (!paths) {
      run.unread.push_back(llvm::toString(RedactedError(paths.takeError(), options.redactor)));
      continue;
    }
    for (const std::string& path : *paths) {
      Expected<JsonLineTotals> totals = ReadScenarios(path, files, handle, options.redactor);
      if (!totals) {
        run.unread.push_back(llvm::toString(totals.takeError()));
        continue;
      }
      run.tally.damaged += totals->damaged;
      run.files.push_back(MakeRecordFile(path, std::move(*totals), options.redactor));
    }
  }
  return run;
}

}  // namespace shapewise
