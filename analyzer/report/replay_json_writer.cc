// Prints replays as JSON, schemas shapewise.replay/1 and shapewise.curve/1.

#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "report/json_stream.h"

namespace shapewise {
namespace {

Json RangeJson(const std::optional<MeasuredRange>& range) {
  return range ? Json{range->low, range->high} : Json();
}

Json ValueJson(const std::optional<MeasuredRange>& range) {
  return range ? Json(range->value) : Json();
}

Json ForecastJson(const PolicyForecast& forecast) {
  return {{"confidence", forecast.is_exact ? "exact" : "unmodelled"},
          {"why", TextOrNull(forecast.why)},
          {"assumed", TextOrNull(forecast.assumed)},
          {"compiles", NumberOrNull(forecast.compiles)},
          {"compile_seconds", SecondsJson(forecast.compile_seconds)},
          {"recompile_limit_hit", NumberOrNull(forecast.hits_limit)},
          {"eager_calls", NumberOrNull(forecast.eager_calls)},
          {"error_calls", NumberOrNull(forecast.error_calls)},
          {"traps", forecast.traps}};
}

Json ReplayedPolicyJson(const ReplayedPolicy& policy) {
  const PolicyMeasurement& measured = policy.measured;
  return {{"name", policy.policy},
          {"actions", policy.actions},
          {"plan", policy.is_plan},
          {"advice", policy.is_advice},
          {"steps", NumberOrNull(measured.steps)},
          {"steps_per_second", ValueJson(measured.steps_per_second)},
          {"steps_per_second_interval", RangeJson(measured.steps_per_second)},
          {"compiles", NumberOrNull(measured.compiles)},
          {"compile_seconds", SecondsJson(measured.compile_seconds)},
          {"recompile_limit_hit", NumberOrNull(measured.hits_limit)},
          {"peak_bytes", NumberOrNull(measured.peak_bytes)},
          {"equal", NumberOrNull(measured.equal)},
          {"equal_why", TextOrNull(measured.equal_why)},
          {"max_abs_error", NumberOrNull(measured.max_abs_error)},
          {"error", TextOrNull(measured.error)},
          {"predicted", ForecastJson(policy.predicted)},
          {"seconds", ValueJson(policy.seconds)},
          {"seconds_interval", RangeJson(policy.seconds)},
          {"verdict", ReplayVerdictName(policy.verdict)},
          {"why", TextOrNull(policy.why)},
          {"break_even_calls", NumberOrNull(policy.break_even_calls)}};
}

Json PointJson(const CurveReport::Point& point) {
  return {{"size", point.size},
          {"seconds", point.seconds.value},
          {"q1", point.seconds.low},
          {"q3", point.seconds.high},
          {"peak_bytes", NumberOrNull(point.peak_bytes)},
          {"compile_seconds", NumberOrNull(point.compile_seconds)},
          {"dynamic", ValueJson(point.dynamic)},
          {"dynamic_quartiles", RangeJson(point.dynamic)},
          {"dynamic_compile_seconds", NumberOrNull(point.dynamic_compile_seconds)},
          {"eager", NumberOrNull(point.eager)},
          {"spread", NumberOrNull(point.spread)}};
}

Json WayJson(const ServingTime& way) {
  return {{"name", way.name},
          {"compiles", way.compiles},
          {"call_seconds", way.call_seconds},
          {"compile_seconds", SecondsJson(way.compile_seconds)},
          {"seconds", SecondsJson(way.seconds)}};
}

}  // namespace

void WriteReplayJson(const ReplayReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) {
  const auto name_of = [&](size_t index) { return Json(report.policies[index].policy); };
  JsonStream object("shapewise.replay/1", options, out);
  object.Member("subject", TextOrNull(report.subject));
  object.Member("device", TextOrNull(report.device));
  object.Member("torch", TextOrNull(report.torch));
  object.Member("script", TextOrNull(report.script));
  object.Member("where", PlaceJson(report.where));
  object.Member("history", {{"origin", report.history},
                            {"calls", report.calls},
                            {"recorded_calls", report.recorded_calls},
                            {"lower_bound", report.is_lower_bound}});
  object.Member("judged_calls", report.judged_calls);
  object.List("policies", report.policies, ReplayedPolicyJson);
  object.Member("best", report.best ? name_of(*report.best) : Json());
  object.Member("as_good", ListJson(report.as_good, name_of));
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
}

void WriteCurveJson(const CurveReport& report, const ReportOptions& options,
                    llvm::raw_ostream& out) {
  JsonStream object("shapewise.curve/1", options, out);
  object.Member("subject", TextOrNull(report.subject));
  object.Member("dims", report.dims);
  object.Member("graph", TextOrNull(report.graph));
  object.Member("symbol", TextOrNull(report.symbol));
  object.Member("device", TextOrNull(report.device));
  object.Member("torch", TextOrNull(report.torch));
  object.List("points", report.points, PointJson);
  object.Member("drift", NumberOrNull(report.drift));
  object.Member("refused", report.refused);
  object.Member("candidates", NumberOrNull(report.candidates));
  object.Member("estimated_gap", NumberOrNull(report.estimated_gap));
  object.Member("boundaries", report.boundaries);
  object.Member("stopped_because", TextOrNull(report.stopped_because));
  object.Member("steps", report.ways.empty() ? Json() : Json(report.steps));
  object.List("ways", report.ways, WayJson);
  object.Member("noise", report.ways.empty() ? Json() : Json(report.noise));
  object.Member("break_even_calls", NumberOrNull(report.break_even_calls));
  object.Member("gaps", report.gaps);
}

}  // namespace shapewise
