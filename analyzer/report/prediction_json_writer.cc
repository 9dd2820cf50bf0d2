// Prints predictions as JSON: one object of schema shapewise.predict/1, or one object per line.

#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "report/json_stream.h"

namespace shapewise {
namespace {

Json CallJson(const PredictedCall& call) {
  const auto limit_of = [](const PredictedLimit& limit) -> Json {
    return {{"frame", limit.frame}, {"type", limit.type}};
  };
  return {{"compiled", call.compiled},
          {"ran", call.ran},
          {"eager", call.eager},
          {"error", TextOrNull(call.error)},
          {"limit", ListJson(call.limits, limit_of)}};
}

Json TotalsJson(const PredictedTotals& totals) {
  return {{"graphs", totals.graphs},           {"eager_calls", totals.eager_calls},
          {"error_calls", totals.error_calls}, {"limit_hits", totals.limit_hits},
          {"entries", totals.entries},         {"static_graphs", totals.static_graphs}};
}

Json AnswerJson(const ScenarioAnswer& answer) {
  const Prediction& prediction = answer.prediction;
  Json json = {{"id", answer.id},
               {"confidence", prediction.is_exact ? "exact" : "unmodelled"},
               {"why", prediction.why}};
  if (!prediction.assumed.empty()) json["assumed"] = prediction.assumed;
  if (!prediction.is_exact) {
    json["calls"] = nullptr;
    json["totals"] = nullptr;
    return json;
  }
  json["calls"] = ListJson(prediction.calls, CallJson);
  json["totals"] = TotalsJson(prediction.totals);
  return json;
}

Json BackTestJson(const BackTestRow& row) {
  return {{"verdict", BackTestVerdictName(row.verdict)},
          {"why", TextOrNull(row.why)},
          {"assumed", TextOrNull(row.assumed)},
          {"logged",
           {{"compiles", NumberOrNull(row.logged_compiles)},
            {"failures", row.logged_failures},
            {"limit_hits", row.logged_limit_hits}}},
          {"predicted",
           {{"compiles", NumberOrNull(row.predicted_compiles)},
            {"failures", row.predicted_failures},
            {"limit_hits", row.predicted_limit_hits},
            {"eager_calls", row.predicted_eager_calls}}}};
}

Json OutcomeJson(const PolicyOutcome& outcome) {
  const Prediction& prediction = outcome.prediction;
  const bool has_calls = prediction.is_exact && outcome.has_calls;
  return {{"policy", outcome.policy},
          {"confidence", prediction.is_exact ? "exact" : "unmodelled"},
          {"why", prediction.why},
          {"assumed", TextOrNull(prediction.assumed)},
          {"lower_bound", outcome.is_lower_bound},
          {"not_applicable", TextOrNull(outcome.not_applicable)},
          {"totals", prediction.is_exact ? TotalsJson(prediction.totals) : Json()},
          {"predicted_compile_seconds", SecondsJson(outcome.compile_seconds)},
          {"compile_calls", has_calls ? Json(outcome.compile_calls) : Json()},
          {"limit_call", NumberOrNull(outcome.limit_call)},
          {"eager_call", NumberOrNull(outcome.eager_call)},
          {"error_call", NumberOrNull(outcome.error_call)},
          {"error", TextOrNull(outcome.error)},
          {"traps", outcome.traps}};
}

Json FunctionJson(const FunctionPrediction& function) {
  return {{"where", PlaceJson(function.where)},
          {"rank", function.rank < 0 ? Json() : Json(function.rank)},
          {"frame", TextOrNull(function.frame)},
          {"history", HistoryOriginName(function.origin)},
          {"calls", function.calls},
          {"distinct_calls", function.distinct_calls},
          {"lower_bound", function.is_lower_bound},
          {"probed", function.is_probed},
          {"probe_missed", TextOrNull(function.probe_missed)},
          {"unmodelled", TextOrNull(function.unmodelled)},
          {"logged_compile_seconds", SecondsJson(function.logged_seconds)},
          {"back_test", BackTestJson(function.back_test)},
          {"policies", ListJson(function.outcomes, OutcomeJson)}};
}

Json PolicyJson(const PolicyTotals& policy) {
  return {{"policy", policy.policy},
          {"functions", policy.functions},
          {"unmodelled", policy.unmodelled},
          {"totals", TotalsJson(policy.totals)},
          {"predicted_compile_seconds", SecondsJson(policy.compile_seconds)}};
}

void BeginJson(const ReportOptions& options, llvm::raw_ostream& out) {
  out << "{\n \"schema\": \"shapewise.predict/1\",\n \"tool\": " << JsonText(ToolJson(options))
      << ",\n \"scenarios\": [";
}

void AnswerJson(const ScenarioAnswer& answer, const ReportOptions&, llvm::raw_ostream& out) {
  out << (answer.index == 0 ? "\n  " : ",\n  ") << JsonText(AnswerJson(answer));
}

void EndJson(const ScenarioTally& tally, const ReportOptions&, llvm::raw_ostream& out) {
  out << (tally.answers == 0 ? "]" : "\n ]") << ",\n \"summary\": "
      << JsonText(
             {{"scenarios", tally.answers}, {"exact", tally.exact}, {"damaged", tally.damaged}})
      << "\n}\n";
}

void BeginJsonl(const ReportOptions&, llvm::raw_ostream&) {}

void AnswerJsonl(const ScenarioAnswer& answer, const ReportOptions&, llvm::raw_ostream& out) {
  out << JsonText(AnswerJson(answer)) << "\n";
}

void EndJsonl(const ScenarioTally&, const ReportOptions&, llvm::raw_ostream&) {}

}  // namespace

ScenarioFormat ScenarioJsonFormat() { return {"json", BeginJson, AnswerJson, EndJson}; }

ScenarioFormat ScenarioJsonlFormat() { return {"jsonl", BeginJsonl, AnswerJsonl, EndJsonl}; }

void WritePredictionJson(const PredictionReport& report, const ReportOptions& options,
                         llvm::raw_ostream& out) {
  JsonStream object("shapewise.predict/1", options, out);
  object.Member("back_test", {{"equal", report.back_test.equal},
                              {"lower_bound", report.back_test.lower_bound},
                              {"differs", report.back_test.differs},
                              {"not_logged", report.back_test.not_logged},
                              {"unmodelled", report.back_test.unmodelled}});
  object.List("functions", report.functions, FunctionJson);
  object.List("policies", report.policies, PolicyJson);
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
}

void WritePredictionJsonl(const PredictionReport& report, const ReportOptions&,
                          llvm::raw_ostream& out) {
  for (const FunctionPrediction& function : report.functions) {
    out << JsonText(FunctionJson(function)) << "\n";
  }
}

}  // namespace shapewise
