#include "report/result_json.h"

#include <optional>
#include <string>
#include <utility>

#include "report/cost_json.h"
#include "report/json_values.h"

namespace shapewise {

using Json = nlohmann::ordered_json;

Json ActionJson(const Action& action) {
  Json target = PlaceJson(action.target);
  target["source"] = TextOrNull(action.source);
  target["dim"] = DimOrNull(action.dim);
  return {{"kind", action.kind},
          {"target", std::move(target)},
          {"text", action.text},
          {"code", TextOrNull(action.code)},
          {"trap", TextOrNull(action.trap)},
          {"saves",
           {{"compiles", NumberOrNull(action.saves_compiles)},
            {"seconds", NumberOrNull(action.saves_seconds)},
            {"padding", nullptr},
            {"basis", "predicted"}}},
          {"confidence", action.confidence},
          {"torch", TextOrNull(action.torch)},
          {"evidence", action.evidence},
          {"validated", nullptr}};
}

Json SummaryJson(const RunSummary& summary) {
  Json eager = Json::array();
  for (const EagerFunction& function : summary.eager_functions) {
    Json object = PlaceJson(function.where);
    object["limit"] = function.limit == 0 ? Json() : Json(function.limit);
    object["below"] = Json::array();
    for (const Place& below : function.below) object["below"].push_back(PlaceJson(below));
    eager.push_back(std::move(object));
  }
  return {{"recompiles", summary.recompiles},
          {"recompile_limit_hits", summary.recompile_limit_hits},
          {"graph_breaks", summary.graph_breaks},
          {"graph_break_sites", summary.graph_break_sites},
          {"skipped_frames", summary.skipped_frames},
          {"compiles", summary.compiles},
          {"compile_seconds", NumberOrNull(summary.compile_seconds)},
          {"costs", CostsJson(summary.costs)},
          {"eager_functions", std::move(eager)},
          {"ranks", summary.ranks},
          {"torch", {{"range", TextOrNull(summary.torch)}, {"why", TextOrNull(summary.torch_why)}}},
          {"lines", summary.lines},
          {"damaged", summary.damaged}};
}

Json CoverageJson(const Coverage& coverage) {
  const auto json = [](Printed printed) {
    return printed == Printed::kUnknown ? Json() : Json(printed == Printed::kYes);
  };
  return {{"recompiles", json(coverage.recompiles)}, {"graph_breaks", json(coverage.graph_breaks)}};
}

Json IdentityJson(const Identity& identity) {
  return {{"kind", identity.kind},
          {"function", TextOrNull(identity.function)},
          {"file", TextOrNull(identity.file)},
          {"type", TextOrNull(identity.type)},
          {"class", TextOrNull(identity.guard_class)},
          {"source", TextOrNull(identity.source)},
          {"dim", DimOrNull(identity.dim)}};
}

Json FindingJson(const Finding& finding) {
  Json cause;
  if (finding.cause) {
    cause = {{"class", GuardClassName(finding.cause->guard_class)},
             {"source", TextOrNull(finding.cause->source)},
             {"dim", DimOrNull(finding.cause->dim)}};
  }
  Json advice = Json::array();
  for (const Action& action : finding.advice) advice.push_back(ActionJson(action));
  return {{"rule", finding.rule},
          {"name", finding.name},
          {"severity", SeverityName(finding.severity)},
          {"message", finding.message},
          {"where", PlaceJson(finding.where)},
          {"user", PlaceJson(finding.user)},
          {"cause", std::move(cause)},
          {"values", finding.values},
          {"pattern", TextOrNull(finding.pattern)},
          {"count", finding.count},
          {"cost_seconds", NumberOrNull(finding.cost_seconds)},
          {"ranks", finding.ranks},
          {"events", finding.events},
          {"advice", std::move(advice)},
          {"torch", TextOrNull(finding.torch)},
          {"runs_eager", finding.runs_eager},
          {"identity", IdentityJson(finding.identity)},
          {"fingerprint", finding.fingerprint}};
}

Json KnownCauseJson(const Finding& finding) {
  return {{"rule", finding.rule},
          {"severity", SeverityName(finding.severity)},
          {"count", finding.count},
          {"runs_eager", finding.runs_eager},
          {"identity", IdentityJson(finding.identity)},
          {"fingerprint", finding.fingerprint}};
}

Json BaselineUseJson(const BaselineUse& baseline) {
  const auto list = [](const std::vector<Finding>& findings) {
    Json causes = Json::array();
    for (const Finding& finding : findings) causes.push_back(KnownCauseJson(finding));
    return causes;
  };
  return {{"file", baseline.file},
          {"held_back", list(baseline.held_back)},
          {"stale", list(baseline.stale)},
          {"worse", baseline.worse}};
}

}  // namespace shapewise
