// Prints the result of lint as JSON, schema shapewise.lint/1: one object, or one object per line;
// and the baseline, schema shapewise.baseline/1.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "report/formats.h"
#include "report/report.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

Json InputJson(const Input& input) {
  Json first_unknown;
  if (input.unknown_lines > 0) {
    first_unknown = {{"line", input.first_unknown_line}, {"text", input.first_unknown}};
  }
  return {{"name", input.name},
          {"format", TextOrNull(input.format)},
          {"bytes", input.bytes},
          {"lines", input.lines},
          {"torch_lines", input.torch_lines},
          {"unknown_lines", input.unknown_lines},
          {"first_unknown", first_unknown}};
}

Json RankActionJson(const RankAction& action) {
  Json cause;
  if (action.culprit) {
    cause = {{"class", GuardClassName(action.culprit->guard_class)},
             {"source", TextOrNull(action.culprit->source)},
             {"dim", DimOrNull(action.culprit->dim)}};
  }
  return {{"what", action.what},
          {"where", PlaceJson(action.where)},
          {"user", PlaceJson(action.user)},
          {"compile_id", TextOrNull(action.compile_id)},
          {"cause", std::move(cause)},
          {"guard", TextOrNull(action.guard)},
          {"expected", TextOrNull(action.expected)},
          {"actual", TextOrNull(action.actual)},
          {"time", TextOrNull(FormatLogTime(action.time))},
          {"seconds", SecondsJson(action.seconds)},
          {"event", action.event ? Json(*action.event) : Json()}};
}

Json DivergenceJson(const RankDivergence& divergence) {
  const auto value_of = [](const RankValue& value) -> Json {
    return {{"value", value.value}, {"ranks", value.ranks}};
  };
  return {{"kind", DivergenceKindName(divergence.kind)},
          {"ranks", divergence.ranks},
          {"actors", divergence.actors},
          {"others", divergence.others},
          {"action", RankActionJson(divergence.action)},
          {"instead", divergence.instead ? RankActionJson(*divergence.instead) : Json()},
          {"later_seconds", SecondsJson(divergence.later_seconds)},
          {"wait_seconds_estimated", SecondsJson(divergence.wait_seconds)},
          {"agreed", divergence.agreed},
          {"values", ListJson(divergence.values, value_of)},
          {"count", divergence.count},
          {"events", divergence.events}};
}

Json SkewJson(const RankSkew& skew) {
  return {{"seconds", SecondsJson(skew.seconds)},
          {"between", skew.of_ends ? "ends" : "begins"},
          {"action", RankActionJson(skew.action)},
          {"first", skew.first},
          {"last", skew.last}};
}

Json SlowStepJson(const SlowStep& slow) {
  return {{"step", slow.number < 0 ? Json() : Json(slow.number)},
          {"index", slow.index},
          {"line", slow.line},
          {"begin", SecondsJson(slow.begin)},
          {"seconds", SecondsJson(slow.seconds)},
          {"cause", SlowCauseName(slow.cause)},
          {"compile_id", TextOrNull(slow.compile_id)},
          {"function", TextOrNull(slow.function.function)},
          {"events", slow.events}};
}

Json CompanyJson(const StallCompanion& company) {
  return {{"process", company.process},         {"function", company.function},
          {"what", TextOrNull(company.what)},   {"stalls_with", company.stalls_with},
          {"others_with", company.others_with}, {"others", company.others}};
}

Json StallJson(const Stall& stall) {
  return {{"period_seconds", SecondsJson(stall.period)},
          {"jitter_seconds", SecondsJson(stall.jitter)},
          {"period_steps", stall.is_by_steps ? Json(stall.period_steps) : Json()},
          {"seconds", SecondsJson(stall.seconds)},
          {"total_seconds", SecondsJson(stall.total_seconds)},
          {"count", stall.count},
          {"distances", stall.distances},
          {"regular", stall.regular},
          {"company", stall.company ? CompanyJson(*stall.company) : Json()}};
}

Json TrackJson(const StepTrack& track) {
  return {{"input", track.input},
          {"rank", track.rank < 0 ? Json() : Json(track.rank)},
          {"process", TextOrNull(track.process)},
          {"steps", track.steps},
          {"seconds", SecondsJson(track.total)},
          {"median_seconds", SecondsJson(track.median)},
          {"deviation_seconds", SecondsJson(track.deviation)},
          {"slow_from_seconds", track.slow_from > 0 ? SecondsJson(track.slow_from) : Json()},
          {"compared", StepComparisonName(track.comparison)},
          {"slow", ListJson(track.slow, SlowStepJson)},
          {"stall", track.stall ? StallJson(*track.stall) : Json()}};
}

/// The member "ranks" of a lint result (analyzer/docs/ranks.md); unknown values are null.
Json RanksJson(const RankComparison& comparison) {
  const auto offset_of = [](const ClockOffset& offset) -> Json {
    return {{"rank", offset.rank}, {"seconds", SecondsJson(offset.seconds)}};
  };
  return {{"compared", comparison.ranks},
          {"structured", comparison.is_structured},
          {"agreed", comparison.agreed},
          {"divergences", ListJson(comparison.divergences, DivergenceJson)},
          {"skew", comparison.skew ? SkewJson(*comparison.skew) : Json()},
          {"clock_offsets", ListJson(comparison.offsets, offset_of)}};
}

/// The object described in analyzer/docs/steps.md; null: no steps.
Json StepsJson(const StepReport& report) {
  if (report.tracks.empty()) return nullptr;
  return {{"tracks", ListJson(report.tracks, TrackJson)},
          {"epoch_minus_local_seconds",
           report.epoch_minus_local ? Json(*report.epoch_minus_local) : Json()}};
}

/// One worker of one start. `capture_sizes` is a count, or one count per mode if graphs of several
/// modes are counted.
Json ServerWorkerJson(const ServerWorker& worker) {
  Json sizes = NumberOrNull(worker.capture_sizes);
  if (!worker.captured_graphs.empty()) sizes = worker.captured_graphs;
  return {{"start", worker.start},
          {"engine", worker.engine},
          {"worker", TextOrNull(worker.worker)},
          {"dynamo_seconds", NumberOrNull(worker.dynamo_seconds)},
          {"inductor_seconds",
           worker.inductor_seconds.empty() ? Json() : Json(worker.inductor_seconds)},
          {"total_seconds", NumberOrNull(worker.total_seconds)},
          {"graph_capture_seconds", NumberOrNull(worker.graph_capture_seconds)},
          {"engine_init_seconds", NumberOrNull(worker.engine_init_seconds)},
          {"unaccounted_seconds", NumberOrNull(worker.unaccounted_seconds)},
          {"cache", TextOrNull(worker.cache)},
          {"cache_dir", TextOrNull(worker.cache_dir)},
          {"capture_sizes", std::move(sizes)},
          {"mode", TextOrNull(worker.mode)},
          {"phases", worker.phases}};
}

Json AlarmJson(const RunNews& news) {
  return {{"type", "alarm"},          {"alarm", news.alarm},
          {"count", news.count},      {"function", TextOrNull(news.function)},
          {"input", news.input_name}, {"line", news.line}};
}

Json FindingNewsJson(const RunNews& news) {
  Json object = {{"type", "finding"},
                 {"change", news.kind == RunNews::Kind::kNew ? "new" : "worse"},
                 {"input", TextOrNull(news.input_name)},
                 {"line", PositionOrNull(news.line)}};
  object.update(FindingJson(news.finding));
  return object;
}

/// "run.log:12: "
std::string PlacePrefix(const RunNews& news) {
  if (news.input_name.empty()) return {};
  return MakePrintable(news.input_name) + ":" + std::to_string(news.line) + ": ";
}

void PrintText(const RunNews& news, llvm::raw_ostream& out) {
  out << PlacePrefix(news);
  if (news.kind == RunNews::Kind::kAlarm) {
    out << "alarm: " << MakePrintable(news.alarm) << " (" << news.count << ")";
    if (!news.function.empty()) out << ", the last in " << MakePrintable(news.function);
    out << "\n";
    return;
  }
  const Finding& finding = news.finding;
  if (news.kind == RunNews::Kind::kWorse) out << "worse: ";
  out << SeverityName(finding.severity) << "[" << finding.rule
      << "]: " << MakePrintable(finding.message) << "\n";
  const std::string place = PlaceText(finding.where);
  const std::string advice = finding.advice.empty() ? std::string() : finding.advice.front().text;
  if (place.empty() && advice.empty()) return;
  out << "    " << MakePrintable(place) << (place.empty() || advice.empty() ? "" : ": ")
      << MakePrintable(advice) << "\n";
}

}  // namespace

void WriteLintJson(const LintResult& result, const Session& session, const ReportOptions& options,
                   llvm::raw_ostream& out) {
  JsonStream object("shapewise.lint/1", options, out);
  object.List("inputs", session.inputs(), InputJson);
  object.Member("summary", SummaryJson(result.summary));
  object.Member("coverage", CoverageJson(result.coverage));
  object.Member("steps", StepsJson(result.steps));
  object.List("findings", result.findings, FindingJson);
  if (result.baseline) object.Member("baseline", BaselineUseJson(*result.baseline));
  object.Member("ranks", result.ranks ? RanksJson(*result.ranks) : Json());
  object.List("server", result.server.workers, ServerWorkerJson);
  object.List("functions", result.functions, FunctionCostJson);
  object.List("gaps", result.gaps);
  AddStats(session.stats(), object);
  if (options.with_events) object.List("events", session.events(), EventJson, session);
}

void WriteLintJsonl(const LintResult& result, const Session&, const ReportOptions& options,
                    llvm::raw_ostream& out) {
  for (const Finding& finding : result.findings) {
    Json object = {{"type", "finding"}};
    object.update(FindingJson(finding));
    out << JsonText(object) << "\n";
  }
  out << JsonText({{"type", "summary"},
                   {"schema", "shapewise.lint/1"},
                   {"tool", ToolJson(options)},
                   {"summary", SummaryJson(result.summary)},
                   {"gaps", result.gaps}})
      << "\n";
}

void WriteBaseline(std::vector<Finding> findings, llvm::raw_ostream& out) {
  std::ranges::sort(findings, {}, [](const Finding& finding) {
    const Identity& identity = finding.identity;
    return std::tie(identity.file, identity.function, identity, finding.rule, finding.severity,
                    finding.count, finding.runs_eager);
  });
  JsonStream object(out);
  object.Member("schema", "shapewise.baseline/1");
  object.List("findings", findings, KnownCauseJson);
}

void PrintNews(const RunNews& news, bool as_json, llvm::raw_ostream& out) {
  if (!as_json) return PrintText(news, out);
  const bool is_alarm = news.kind == RunNews::Kind::kAlarm;
  out << JsonText(is_alarm ? AlarmJson(news) : FindingNewsJson(news)) << "\n";
}

}  // namespace shapewise
