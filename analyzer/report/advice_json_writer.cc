// Advice as JSON, schema shapewise.advise/1.

#include <nlohmann/json.hpp>

#include "report/advice_writers.h"
#include "report/json_stream.h"
#include "report/json_values.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json SavingJson(const Saving& saving) {
  Json functions = Json::array();
  for (const FunctionCompiles& function : saving.functions) {
    Json row = PlaceJson(function.where);
    row["before"] = function.before;
    row["after"] = function.after;
    functions.push_back(std::move(row));
  }
  const bool is_told = saving.basis != SavingBasis::kNone;
  const auto told = [&](uint64_t number) { return is_told ? Json(number) : Json(); };
  return {{"basis", TextOrNull(SavingBasisName(saving.basis))},
          {"compiles", told(saving.compiles)},
          {"seconds", SecondsJson(saving.seconds)},
          {"slow_steps", NumberOrNull(saving.slow_steps)},
          {"eager_functions", told(saving.eager_functions)},
          {"eager_calls", NumberOrNull(saving.eager_calls)},
          {"errors", told(saving.errors)},
          {"raises", told(saving.raises)},
          {"functions", std::move(functions)}};
}

Json RankedJson(const RankedAction& ranked) {
  Json json = ActionJson(ranked.action);
  json["saves"]["basis"] = "predicted";
  json["paste"] = TextOrNull(PasteAtName(ranked.at));
  json["policy"] = TextOrNull(ranked.policy);
  json["experiment"] = ranked.is_experiment;
  json["rule"] = TextOrNull(ranked.rule);
  json["severity"] = SeverityName(ranked.severity);
  json["predicted"] = SavingJson(ranked.alone);
  json["in_plan"] = ranked.in_plan ? SavingJson(*ranked.in_plan) : Json();
  return json;
}

class AdviceJsonWriter final : public AdviceWriter {
 public:
  std::string_view name() const override { return "json"; }

  void Write(const Advice& advice, const Session& session, const ReportOptions& options,
             llvm::raw_ostream& out) const override {
    Json inputs = Json::array();
    for (const Input& input : session.inputs()) inputs.push_back(input.name);
    JsonStream object(out);
    object.Member("schema", "shapewise.advise/1");
    object.Member("tool", {{"name", "shapewise"}, {"version", options.tool_version}});
    object.Member("inputs", inputs);
    object.Member("run", {{"compiles", advice.compiles}, {"seconds", SecondsJson(advice.seconds)}});
    object.List("actions", advice.actions, RankedJson);
    object.Member("plan", {{"actions", advice.plan}, {"predicted", SavingJson(advice.together)}});
    object.Member("gaps", advice.gaps);
    object.Member("unread", advice.unread);
    object.End();
  }
};

}  // namespace

const AdviceWriter& AdviceJsonReport() {
  static const AdviceJsonWriter writer;
  return writer;
}

}  // namespace shapewise
