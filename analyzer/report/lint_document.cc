// The result for people, about one screen: what was lost, causes worst first, what to do, and what
// the log does not show. As JSON: schema shapewise.lint/1, one object, or one object per line; and
// the baseline, schema shapewise.baseline/1.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "report/document.h"
#include "report/formats.h"
#include "report/report.h"
#include "report/result_json.h"
#include "report/run_text.h"
#include "report/text_finding.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

// Limits without --all, for a screen or two.
constexpr size_t kMaxCauses = 12;
constexpr size_t kMaxNotes = 6;
constexpr size_t kMaxEagerFunctions = 6;

void AddEagerFunctions(const std::vector<EagerFunction>& functions, Document& page) {
  if (functions.empty()) return;
  page.Begin(0, 2).Add(TextStyle::kError, EagerHeadline(functions));
  if (functions.size() == 1) {
    page.Add(": " + EagerText(functions.front()));
    return;
  }
  page.Add(":");
  page.AddSome(functions, kMaxEagerFunctions, "function", 2,
               [&](const EagerFunction& function) { page.Begin(2, 4).Add(EagerText(function)); });
}

/// Adds explanations from the rules of findings, once per rule.
class Explanations {
 public:
  Explanations(const std::vector<RuleProse>& prose, Document& page) : prose_(prose), page_(page) {}

  void AddFor(const Finding& finding) {
    const auto found = std::ranges::lower_bound(prose_, finding.rule, {}, &RuleProse::code);
    if (found == prose_.end() || found->code != finding.rule || found->sections.empty()) return;
    page_.BlankLine();
    if (!explained_.insert(finding.rule).second) {
      page_.Begin(kProseIndent).Add("Why it costs and what to do: see the first ");
      page_.Add(finding.rule + " above.");
      return;
    }
    bool is_first = true;
    for (const RuleProse::Section& section : found->sections) {
      if (!std::exchange(is_first, false)) page_.BlankLine();
      Add(section);
    }
  }

 private:
  static constexpr size_t kProseIndent = 4;

  void Add(const RuleProse::Section& section) {
    page_.Begin(kProseIndent).Add(TextStyle::kStrong, section.title);
    for (const RuleProse::Part& part : section.parts) {
      if (part.is_code) {
        page_.AddCode(kProseIndent + 4, part.text);
        continue;
      }
      std::string text = part.text;
      std::ranges::replace(text, '\n', ' ');
      const bool is_item = text.starts_with("- ");
      page_.Begin(kProseIndent + 2, kProseIndent + (is_item ? 4 : 2)).Add(text);
    }
  }

  const std::vector<RuleProse>& prose_;
  Document& page_;
  std::set<std::string> explained_;  // rules
};

void AddFindings(const LintResult& result, const Session& session, const ReportOptions& options,
                 Document& page) {
  Explanations explanations(options.prose, page);
  const size_t num_causes = CountSeverities(result.findings).causes();
  const size_t num_notes = result.findings.size() - num_causes;
  const size_t shown_causes = page.Shown(num_causes, kMaxCauses);
  const size_t shown_notes = page.Shown(num_notes, kMaxNotes);

  // Worst first, so that all notes come last.
  for (size_t i = 0; i < shown_causes; ++i) {
    page.BlankLine();
    AddFinding(result.findings[i], session, page.all(), page);
    explanations.AddFor(result.findings[i]);
  }
  if (shown_notes > 0) page.BlankLine();
  for (size_t i = 0; i < shown_notes; ++i) {
    AddNote(result.findings[num_causes + i], session, page);
    explanations.AddFor(result.findings[num_causes + i]);
  }

  Phrases hidden(" and ");
  hidden.AddCount(num_causes - shown_causes, "cause");
  hidden.AddCount(num_notes - shown_notes, "note");
  if (!hidden.empty()) {
    page.BlankLine();
    page.Begin(0).Add(TextStyle::kStrong, hidden.text() + " more: --all");
  }
  if (!result.findings.empty()) {
    page.BlankLine();
    page.Begin(0).Add(TextStyle::kFaint, "About a rule: shapewise explain ");
    page.Add(TextStyle::kFaint, result.findings.front().rule);
  }
}

/// "1697 guards, an estimated 44 us a call (403 us when measured with cold caches)"
std::string GuardsText(const FunctionCost& function) {
  if (!function.guards || !function.estimated_us) return {};
  std::string text = Counted(*function.guards, "guard");
  text += ", an estimated " + std::to_string(std::llround(*function.estimated_us)) + " us a call";
  if (function.measured_guard_us) {
    text += " (" + std::to_string(std::llround(*function.measured_guard_us)) +
            " us for guards when measured with cold caches)";
  }
  return text;
}

/// With --all: the compile time of each function, most expensive first.
void AddFunctions(const std::vector<FunctionCost>& functions, Document& page) {
  if (functions.empty()) return;
  page.AddTitle("Compiled functions");
  for (const FunctionCost& function : functions) {
    Phrases row("; ");
    Phrases counts(", ");
    counts.AddCount(function.compiles, "compile");
    std::string recompiles = Counted(function.recompiles, "recompile");
    if (function.recompile_seconds && *function.recompile_seconds > 0) {
      recompiles += " of " + SecondsText(*function.recompile_seconds);
    }
    if (function.recompiles > 0) counts.Add(recompiles);
    if (function.failed > 0) counts.Add(std::to_string(function.failed) + " failed");
    counts.AddCount(function.empty_graphs, "empty graph");
    for (const std::string& part :
         {counts.text(), PhasesText(function.phases), GuardsText(function)}) {
      if (!part.empty()) row.Add(part);
    }
    const std::string seconds =
        function.seconds ? SecondsText(*function.seconds) : std::string("? s");
    page.Begin(2, 6).Add(TextStyle::kStrong, seconds + "  " + PlaceText(function.where));
    if (!row.empty()) page.Add(": " + row.text());
  }
}

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

void AddVerdict(const LintResult& result, const Session& session, Document& page) {
  const RunSummary& summary = result.summary;
  if (!summary.failure.empty()) {
    page.Begin(0, 2).Add(TextStyle::kError, "The program failed: " + summary.failure);
  }
  page.Begin(0, 2).Add(TextStyle::kStrong, HeadlineText(result));
  if (summary.costs && summary.costs->seconds > 0) {
    page.Begin(0, 2).Add(TextStyle::kStrong, CostText(*summary.costs));
  }
  AddEagerFunctions(summary.eager_functions, page);
  if (result.baseline) page.Begin(0, 2).Add(BaselineText(*result.baseline));
  page.Begin(0, 2).Add(TextStyle::kFaint, RunText(summary, session, page.all()));
  AddSteps(result.steps, session, page);
  AddServer(result.server, page);
  if (result.ranks) AddRanks(*result.ranks, page);
}

Document DescribeLint(const LintResult& result, const Session& session,
                      const ReportOptions& options) {
  Document page("lint", options.all);
  AddVerdict(result, session, page);
  AddFindings(result, session, options, page);
  if (options.all) AddFunctions(result.functions, page);
  AddGaps(result.gaps, page);
  page.AddList("Could not be read", result.unread);
  return page;
}

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
