// Prints advice as JSON, schema shapewise.advise/1.

#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

/// The simulated saving; null: unknown.
Json SavingJson(const std::optional<Saving>& saving) {
  if (!HasFigures(saving)) return {};
  const auto row_of = [](const FunctionCompiles& function) {
    Json row = PlaceJson(function.where);
    row["before"] = function.before;
    row["after"] = function.after;
    return row;
  };
  return {{"compiles", saving->compiles},
          {"seconds", SecondsJson(saving->seconds)},
          {"eager_functions", saving->eager_functions},
          {"raises", saving->raises},
          {"functions", ListJson(saving->functions, row_of)}};
}

/// The measured results; null: not run.
Json MeasuredJson(const std::optional<MeasuredSaving>& measured) {
  if (!measured) return {};
  return {{"policy", measured->policy},
          {"verdict", measured->verdict},
          {"why", TextOrNull(measured->why)},
          {"compiles", NumberOrNull(measured->compiles)},
          {"compiles_before", NumberOrNull(measured->compiles_before)},
          {"compiles_predicted", NumberOrNull(measured->predicted_compiles)},
          {"compile_seconds", SecondsJson(measured->compile_seconds)},
          {"compile_seconds_before", SecondsJson(measured->compile_seconds_before)},
          {"steps_per_second", NumberOrNull(measured->steps_per_second)},
          {"steps_per_second_before", NumberOrNull(measured->steps_per_second_before)},
          {"equal", NumberOrNull(measured->equal)},
          {"error", TextOrNull(measured->error)}};
}

Json ValidatedJson(const std::optional<MeasuredSaving>& measured) {
  return measured ? Json(measured->is_kept) : Json();
}

Json RankedJson(const RankedAction& ranked) {
  Json json = ActionJson(ranked.action);
  json["paste"] = TextOrNull(PasteAtName(ranked.at));
  json["policy"] = TextOrNull(ranked.policy);
  json["experiment"] = ranked.is_experiment;
  json["rule"] = TextOrNull(ranked.rule);
  json["severity"] = SeverityName(ranked.severity);
  json["predicted"] = SavingJson(ranked.saving);
  json["in_plan"] = ranked.is_planned;
  json["validated"] = ValidatedJson(ranked.measured);
  json["measured"] = MeasuredJson(ranked.measured);
  return json;
}

}  // namespace

void WriteAdviceJson(const Advice& advice, const Session& session, const ReportOptions& options,
                     llvm::raw_ostream& out) {
  JsonStream object("shapewise.advise/1", options, out);
  object.Member("inputs",
                ListJson(session.inputs(), [](const Input& input) { return Json(input.name); }));
  object.Member("run", {{"compiles", advice.compiles}, {"seconds", SecondsJson(advice.seconds)}});
  object.List("actions", advice.actions, RankedJson);
  object.List("next_steps", advice.next_steps, NextStepJson);
  object.Member("plan", {{"actions", advice.plan},
                         {"predicted", SavingJson(advice.together)},
                         {"validated", ValidatedJson(advice.measured_together)},
                         {"measured", MeasuredJson(advice.measured_together)}});
  object.Member("gaps", advice.gaps);
  object.Member("unread", advice.unread);
}

}  // namespace shapewise
