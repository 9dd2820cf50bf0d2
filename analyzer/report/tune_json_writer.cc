// Prints a tune as JSON, schema shapewise.tune/1.

#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "report/json_stream.h"

namespace shapewise {
namespace {

Json TunedFunctionJson(const TunedFunction& function) {
  return {{"function", function.name},
          {"calls", function.calls},
          {"eager_calls", function.eager_calls}};
}

Json RunJson(const TuneRun& run) {
  const auto& rate = run.steps_per_second;
  return {{"folder", TextOrNull(run.folder)},
          {"end", TuneEndName(run.end)},
          {"status", run.status},
          {"run_seconds", SecondsJson(run.run_seconds)},
          {"calls", run.calls},
          {"compiles", run.compiles},
          {"recompiles", run.recompiles},
          {"graph_breaks", run.graph_breaks},
          {"limit_hits", run.limit_hits},
          {"eager_calls", run.eager_calls},
          {"errors", run.errors},
          {"error", TextOrNull(run.error)},
          {"error_call", NumberOrNull(run.error_call)},
          {"compile_seconds", SecondsJson(run.compile_seconds)},
          {"wall_seconds", SecondsJson(run.wall_seconds)},
          {"steps_per_second", rate ? Json(rate->value) : Json()},
          {"steps_per_second_interval", rate ? Json{rate->low, rate->high} : Json()},
          {"peak_bytes", NumberOrNull(run.peak_bytes)},
          {"functions", ListJson(run.functions, TunedFunctionJson)},
          {"equal", NumberOrNull(run.equal)},
          {"equal_why", TextOrNull(run.equal_why)}};
}

Json RunOrNull(const std::optional<TuneRun>& run) { return run ? RunJson(*run) : Json(); }

Json PartJson(const RankedAction& part) {
  return {{"policy", TextOrNull(part.policy)},
          {"text", part.action.text},
          {"code", TextOrNull(part.action.code)},
          {"at", TextOrNull(PasteAtName(part.at))},
          {"target", PlaceJson(part.action.target)}};
}

Json TunedActionJson(const TunedAction& action) {
  std::string diff;
  for (const TunePatch& patch : action.patches) diff += patch.diff;
  return {{"policy", action.policy},
          {"origin", action.origin},
          {"parts", ListJson(action.parts, PartJson)},
          {"patch", TextOrNull(diff)},
          {"run", RunOrNull(action.run)},
          {"verdict", TuneVerdictName(action.verdict)},
          {"why", TextOrNull(action.why)}};
}

}  // namespace

void WriteTuneJson(const TuneReport& report, const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object("shapewise.tune/1", options, out);
  object.Member("command", report.command);
  object.Member("folder", report.folder);
  object.Member("backend", TextOrNull(report.backend));
  object.Member("torch", TextOrNull(report.torch));
  object.Member("device", TextOrNull(report.device));
  object.Member("baseline", RunJson(report.baseline));
  object.Member("repeated", RunOrNull(report.repeated));
  object.List("actions", report.actions, TunedActionJson);
  object.Member("best", report.best ? Json(*report.best) : Json());
  object.Member("confirmed", report.confirmed ? TunedActionJson(*report.confirmed) : Json());
  object.Member("confirmed_baseline", RunOrNull(report.confirmed_before));
  object.Member("interrupted", report.is_interrupted);
  object.Member("gaps", report.gaps);
}

}  // namespace shapewise
