// Prints the guards of functions as JSON, schema shapewise.guards/1.

#include <nlohmann/json.hpp>
#include <string>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

Json LinesJson(const std::vector<GuardLine>& lines) {
  return ListJson(lines, [](const GuardLine& line) -> Json {
    return {{"guard", line.guard},
            {"file", TextOrNull(line.user.file)},
            {"line", PositionOrNull(line.user.line)},
            {"function", TextOrNull(line.user.function)},
            {"code", TextOrNull(line.code)}};
  });
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

Json VariableJson(const FunctionGuards& function, const GuardedVariable& variable) {
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
  json["by_entry"] = ListJson(variable.by_entry, [&](const auto& by_entry) {
    Json row = {{"entry", TextOrNull(function.entries[by_entry.first].id)}};
    row.update(VerdictJson(by_entry.second));
    return row;
  });
  json["advice"] = ListJson(variable.advice, ActionJson);
  return json;
}

Json IdsJson(const std::vector<size_t>& indices, const FunctionGuards& function) {
  return ListJson(indices, [&](size_t index) { return Json(function.entries[index].id); });
}

Json EntryJson(const FunctionGuards& function, const GuardedEntryReport& entry) {
  Json compiled_for = Json::object();
  for (const auto& [name, value] : entry.compiled_for) compiled_for[name] = value;
  const bool is_shadowed = !entry.shadowed_by.empty();
  return {{"id", TextOrNull(entry.id)},
          {"input", entry.input},
          {"line", PositionOrNull(entry.line)},
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

Json GuardedFunctionJson(const FunctionGuards& function) {
  return {{"where", PlaceJson(function.where)},
          {"ranks", function.ranks},
          {"hit_limit", function.hit_limit},
          {"variables", ListJson(function.variables, VariableJson, function)},
          {"entries", ListJson(function.entries, EntryJson, function)},
          {"graphs", function.need ? NeedJson(*function.need) : Json()},
          {"gaps", function.gaps}};
}

}  // namespace

void WriteGuardJson(const GuardReport& report, const std::vector<std::string>& inputs,
                    const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object("shapewise.guards/1", options, out);
  object.Member("inputs", inputs);
  object.List("functions", report.functions, GuardedFunctionJson);
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
}

}  // namespace shapewise
