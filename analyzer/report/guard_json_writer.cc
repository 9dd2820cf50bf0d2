// Prints the guards of functions as JSON, schema shapewise.guards/1.

#include <nlohmann/json.hpp>
#include <string>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/json_values.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json LinesJson(const std::vector<GuardLine>& lines) {
  Json json = Json::array();
  for (const GuardLine& line : lines) {
    json.push_back({{"guard", line.guard},
                    {"file", TextOrNull(line.user.file)},
                    {"line", line.user.line == 0 ? Json() : Json(line.user.line)},
                    {"function", TextOrNull(line.user.function)},
                    {"code", TextOrNull(line.code)}});
  }
  return json;
}

Json VerdictJson(const EntryVerdict& verdict) {
  const bool has_congruence = verdict.verdict == SizeVerdict::kDivisible;
  return {{"verdict", SizeVerdictName(verdict.verdict)},
          {"pinned_by", TextOrNull(PinnedByName(verdict.pinned_by))},
          {"value", NumberOrNull(verdict.value)},
          {"range", {NumberOrNull(verdict.lower), NumberOrNull(verdict.upper)}},
          {"modulus", has_congruence ? Json(verdict.modulus) : Json()},
          {"remainder", has_congruence ? Json(verdict.remainder) : Json()},
          {"because", LinesJson(verdict.because)},
          {"minimal", verdict.because.empty() ? Json() : Json(verdict.is_minimal)},
          {"smallest_change", LinesJson(verdict.smallest_change)},
          {"why_unknown", TextOrNull(verdict.why_unknown)}};
}

Json VariableJson(const GuardedVariable& variable, const FunctionGuards& function) {
  Json json = {{"name", variable.name},
               {"source", variable.source},
               {"kind", GuardedKindName(variable.kind)},
               {"dim", variable.dim < 0 ? Json() : Json(variable.dim)},
               {"culprit", variable.IsCulprit()},
               {"values", variable.values},
               {"marked_dynamic", variable.is_marked},
               {"automatic_dynamic_frees",
                variable.automatic_frees ? Json(*variable.automatic_frees) : Json()}};
  json.update(VerdictJson(variable.verdict));
  json["entry"] = TextOrNull(function.entries[variable.entry].id);
  Json& entries = json["by_entry"] = Json::array();
  for (const auto& [entry, verdict] : variable.by_entry) {
    Json row = {{"entry", TextOrNull(function.entries[entry].id)}};
    row.update(VerdictJson(verdict));
    entries.push_back(std::move(row));
  }
  Json& advice = json["advice"] = Json::array();
  for (const Action& action : variable.advice) advice.push_back(ActionJson(action));
  return json;
}

Json IdsJson(const std::vector<size_t>& indices, const FunctionGuards& function) {
  Json ids = Json::array();
  for (const size_t index : indices) ids.push_back(function.entries[index].id);
  return ids;
}

Json EntryJson(const GuardedEntryReport& entry, const FunctionGuards& function) {
  Json compiled_for = Json::object();
  for (const auto& [name, value] : entry.compiled_for) compiled_for[name] = value;
  const bool is_shadowed = !entry.shadowed_by.empty();
  return {{"id", TextOrNull(entry.id)},
          {"input", entry.input},
          {"line", entry.line == 0 ? Json() : Json(entry.line)},
          {"compiled_for", std::move(compiled_for)},
          {"complete", entry.is_whole},
          {"why_not", TextOrNull(entry.why_not)},
          {"contradictory", entry.is_contradictory},
          {"unreachable", is_shadowed},
          {"shadowed_by", IdsJson(entry.shadowed_by, function)},
          {"same_wrapper", is_shadowed ? Json(entry.is_shadow_certain) : Json()},
          {"overlaps", IdsJson(entry.overlaps, function)}};
}

Json NeedJson(const GraphNeed& need) {
  return {{"calls_of", need.is_of_run ? "run" : "sizes"},
          {"calls", need.calls},
          {"served", need.served},
          {"uncovered", need.uncovered},
          {"undecided", need.undecided},
          {"least", need.least},
          {"least_is_exact", need.is_least_exact},
          {"examples", need.examples},
          {"entries", need.entries},
          {"recompile_limit",
           {{"at_least", need.limit_at_least}, {"at_most", NumberOrNull(need.limit_at_most)}}}};
}

Json FunctionJson(const FunctionGuards& function) {
  Json json = {{"where", PlaceJson(function.where)},
               {"ranks", function.ranks},
               {"hit_limit", function.hit_limit}};
  Json& variables = json["variables"] = Json::array();
  for (const GuardedVariable& variable : function.variables) {
    variables.push_back(VariableJson(variable, function));
  }
  Json& entries = json["entries"] = Json::array();
  for (const GuardedEntryReport& entry : function.entries) {
    entries.push_back(EntryJson(entry, function));
  }
  json["graphs"] = function.need ? NeedJson(*function.need) : Json();
  json["gaps"] = function.gaps;
  return json;
}

}  // namespace

void WriteGuardJson(const GuardReport& report, const std::vector<std::string>& inputs,
                    const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object(out);
  object.Member("schema", "shapewise.guards/1");
  object.Member("tool", ToolJson(options));
  object.Member("inputs", inputs);
  object.List("functions", report.functions, FunctionJson);
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
  object.End();
}

}  // namespace shapewise
