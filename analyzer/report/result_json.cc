#include "report/result_json.h"

#include <string>
#include <utility>
#include <vector>

#include "result/fields.h"

namespace shapewise {
namespace {

/// Writes the members of one object.
class FieldWriter {
 public:
  explicit FieldWriter(Json& json) : json_(json) {}

  template <typename T>
  void Always(const char* name, const T& value) {
    json_[name] = JsonOf(value);
  }
  void OrNull(const char* name, const std::string& text) { json_[name] = TextOrNull(text); }
  void OrNull(const char* name, int32_t dim) { json_[name] = DimOrNull(dim); }
  void OrNull(const char* name, const std::optional<double>& number) {
    json_[name] = NumberOrNull(number);
  }
  void OrNull(const char* name, const std::optional<Culprit>& culprit) {
    json_[name] = culprit ? Json{{"class", GuardClassName(culprit->guard_class)},
                                 {"value_type", TextOrNull(PythonTypeName(culprit->value_type))},
                                 {"source", TextOrNull(culprit->source)},
                                 {"dim", DimOrNull(culprit->dim)}}
                          : Json();
  }

 private:
  template <typename T>
  static Json JsonOf(const T& value) {
    return value;
  }
  static Json JsonOf(Severity severity) { return SeverityName(severity); }
  static Json JsonOf(const Place& place) { return PlaceJson(place); }
  static Json JsonOf(const Identity& identity) { return IdentityJson(identity); }
  static Json JsonOf(const std::vector<Action>& actions) { return ListJson(actions, ActionJson); }

  static Json JsonOf(const std::vector<NextStep>& steps) { return ListJson(steps, NextStepJson); }

  Json& json_;
};

Json ShareJson(const CompileShare& share) {
  return {{"compilations", share.compilations}, {"seconds", share.seconds}};
}

Json PhasesJson(const PhaseSeconds& phases) {
  return {{"dynamo", NumberOrNull(phases.dynamo)},
          {"aot", NumberOrNull(phases.aot)},
          {"inductor", NumberOrNull(phases.inductor)},
          {"code_gen", NumberOrNull(phases.code_gen)}};
}

Json StatJson(const StatInfo& info, const Stats::Count& count) {
  return {{"name", info.name},
          {"grade", info.grade == StatGrade::kDataLoss ? "data_loss" : "info"},
          {"count", count.times},
          {"input", count.first_input},
          {"line", PositionOrNull(count.first_line)},
          {"text", info.sentence}};
}

}  // namespace

Json NextStepJson(const NextStep& step) {
  Json json;
  VisitFields(FieldWriter(json), step);
  return json;
}

namespace {

/// The simulated saving; null: not simulated, or unknown.
Json SavesJson(const Action& action) {
  if (!action.saves_compiles && !action.saves_seconds) return {};
  return {{"compiles", NumberOrNull(action.saves_compiles)},
          {"seconds", NumberOrNull(action.saves_seconds)},
          {"padding", nullptr},
          {"basis", "predicted"}};
}

}  // namespace

Json ActionJson(const Action& action) {
  Json target = PlaceJson(action.target);
  target["source"] = TextOrNull(action.source);
  target["dim"] = DimOrNull(action.dim);
  return {{"kind", action.kind},
          {"target", std::move(target)},
          {"text", action.text},
          {"code", TextOrNull(action.code)},
          {"trap", TextOrNull(action.trap)},
          {"saves", SavesJson(action)},
          {"confidence", action.confidence},
          {"torch", TextOrNull(action.torch)},
          {"evidence", action.evidence},
          {"validated", nullptr}};
}

Json SummaryJson(const RunSummary& summary) {
  Json eager = Json::array();
  for (const EagerFunction& function : summary.eager_functions) {
    Json object = PlaceJson(function.where);
    object["limit"] = PositionOrNull(function.limit);
    object["below"] = Json::array();
    for (const Place& below : function.below) object["below"].push_back(PlaceJson(below));
    eager.push_back(std::move(object));
  }
  Json json;
  VisitCounts(FieldWriter(json), summary);
  json["costs"] = CostsJson(summary.costs);
  json["eager_functions"] = std::move(eager);
  json["ranks"] = summary.ranks;
  json["torch"] = {{"range", TextOrNull(summary.torch)}, {"why", TextOrNull(summary.torch_why)}};
  json["lines"] = summary.lines;
  json["damaged"] = summary.damaged;
  json["unknown_lines"] = summary.unknown_lines;
  if (!summary.failure.empty()) json["failure"] = summary.failure;
  return json;
}

Json CoverageJson(const Coverage& coverage) {
  const auto json = [](Printed printed) {
    return printed == Printed::kUnknown ? Json() : Json(printed == Printed::kYes);
  };
  return {{"recompiles", json(coverage.recompiles)}, {"graph_breaks", json(coverage.graph_breaks)}};
}

Json IdentityJson(const Identity& identity) {
  Json json;
  VisitFields(FieldWriter(json), identity);
  return json;
}

Json FindingJson(const Finding& finding) {
  Json json;
  VisitFields(FieldWriter(json), finding);
  return json;
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
    return ListJson(findings, KnownCauseJson);
  };
  return {{"file", baseline.file},
          {"held_back", list(baseline.held_back)},
          {"stale", list(baseline.stale)},
          {"worse", baseline.worse}};
}

Json CostsJson(const std::optional<CompileCosts>& costs) {
  if (!costs) return {};
  const Json rank = costs->slowest_rank < 0 ? Json() : Json(costs->slowest_rank);
  return {{"seconds", costs->seconds},
          {"first_compiles", ShareJson(costs->first_compiles)},
          {"recompiles", ShareJson(costs->recompiles)},
          {"failed", ShareJson(costs->failed)},
          {"empty_graphs", ShareJson(costs->empty_graphs)},
          {"retrace_seconds", costs->retrace_seconds},
          {"backward", ShareJson(costs->backward)},
          {"unfinished", costs->unfinished},
          {"run_time_seconds", NumberOrNull(costs->run_time_seconds)},
          {"phases", PhasesJson(costs->phases)},
          {"cache",
           {{"hits", costs->cache.hits},
            {"misses", costs->cache.misses},
            {"bypasses", costs->cache.bypasses},
            {"seconds_saved", NumberOrNull(costs->cache.seconds_saved)}}},
          {"processes", costs->processes},
          {"slowest",
           {{"rank", rank}, {"input", costs->slowest_input}, {"seconds", costs->slowest_seconds}}}};
}

Json FunctionCostJson(const FunctionCost& function) {
  Json object = PlaceJson(function.where);
  object["compiles"] = function.compiles;
  object["recompiles"] = function.recompiles;
  object["failed"] = function.failed;
  object["empty_graphs"] = function.empty_graphs;
  object["seconds"] = NumberOrNull(function.seconds);
  object["recompile_seconds"] = NumberOrNull(function.recompile_seconds);
  object["retrace_seconds"] = NumberOrNull(function.retrace_seconds);
  object["phases"] = PhasesJson(function.phases);
  object["guards"] = NumberOrNull(function.guards);
  object["estimated_us_per_call"] = NumberOrNull(function.estimated_us);
  object["measured_guard_us"] = NumberOrNull(function.measured_guard_us);
  object["cache_entries"] = function.cache_entries;
  return object;
}

void AddStats(const Stats& stats, JsonStream& object) {
  std::vector<size_t> counted;
  for (size_t stat = 0; stat < kNumStats; ++stat) {
    if (stats.count(stat).times != 0) counted.push_back(stat);
  }
  object.List("stats", counted,
              [&](size_t stat) { return StatJson(kStatInfos[stat], stats.count(stat)); });
}

}  // namespace shapewise
