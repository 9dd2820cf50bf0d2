// The result for a person, about one screen: what was lost, its causes worst first, what to do, and
// what the log could not tell.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "report/builtin_writers.h"
#include "report/printed_text.h"
#include "report/text_finding.h"
#include "report/text_ranks.h"
#include "report/text_steps.h"

namespace shapewise {
namespace {

// Without --all: what fits a screen or two.
constexpr size_t kMaxCauses = 12;
constexpr size_t kMaxNotes = 6;
constexpr size_t kMaxEagerFunctions = 6;

/// Joins what there is to say with a separator between.
class Phrases {
 public:
  explicit Phrases(std::string_view separator) : separator_(separator) {}

  void Add(std::string_view phrase) {
    if (!text_.empty()) text_ += separator_;
    text_ += phrase;
  }
  void AddCount(uint64_t count, std::string_view noun) {
    if (count > 0) Add(Counted(count, noun));
  }
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string_view separator_;
  std::string text_;
};

struct SeverityCounts {
  uint64_t errors = 0;
  uint64_t warnings = 0;
  uint64_t notes = 0;
  uint64_t causes() const { return errors + warnings; }
};

SeverityCounts CountSeverities(const std::vector<Finding>& findings) {
  SeverityCounts counts;
  for (const Finding& finding : findings) {
    switch (finding.severity) {
      case Severity::kError:
        ++counts.errors;
        break;
      case Severity::kWarning:
        ++counts.warnings;
        break;
      case Severity::kNote:
        ++counts.notes;
        break;
    }
  }
  return counts;
}

/// "2 causes (1 error, 1 warning) and 1 note"
std::string FoundText(const SeverityCounts& counts) {
  Phrases found(" and ");
  if (counts.errors > 0 && counts.warnings > 0) {
    found.Add(Counted(counts.causes(), "cause") + " (" + Counted(counts.errors, "error") + ", " +
              Counted(counts.warnings, "warning") + ")");
  } else {
    found.AddCount(counts.causes(), "cause");
  }
  found.AddCount(counts.notes, "note");
  return found.empty() ? "No findings" : found.text();
}

/// "14 recompiles, 2 graph breaks at 1 place, 1 skipped frame"
std::string TotalsText(const RunSummary& summary) {
  Phrases totals(", ");
  totals.AddCount(summary.recompiles, "recompile");
  totals.AddCount(summary.recompile_limit_hits, "recompile limit hit");
  if (summary.graph_breaks > 0) {
    std::string breaks = Counted(summary.graph_breaks, "graph break");
    if (summary.graph_breaks > 1) breaks += " at " + Counted(summary.graph_break_sites, "place");
    totals.Add(breaks);
  }
  totals.AddCount(summary.skipped_frames, "skipped frame");
  return totals.text();
}

/// "53.2 s compiling: 2.91 s of it recompiles, 0.25 s traced in vain before graph breaks"
std::string CostText(const CompileCosts& costs) {
  Phrases parts(", ");
  const auto add = [&parts](double seconds, std::string_view what) {
    if (seconds <= 0) return;
    parts.Add(SecondsText(seconds) + (parts.empty() ? " of it " : " ") + std::string(what));
  };
  add(costs.recompiles.seconds, "recompiles");
  add(costs.retrace_seconds, "traced in vain before graph breaks");
  add(costs.failed.seconds, "failed");
  add(costs.empty_graphs.seconds, "for empty graphs");
  std::string text = SecondsText(costs.seconds) + " compiling";
  if (!parts.empty()) text += ": " + parts.text();
  if (costs.processes < 2) return text;
  text += "; that is " + std::to_string(costs.processes) + " processes side by side";
  text += ", at most " + SecondsText(costs.slowest_seconds) + " in one";
  if (costs.slowest_rank >= 0) text += " (rank " + std::to_string(costs.slowest_rank) + ")";
  return text;
}

/// "graph caches: 3 hits, which saved 12.0 s as PyTorch reckons, 2 misses"
std::string CacheText(const CacheUse& cache) {
  Phrases parts(", ");
  parts.AddCount(cache.hits, "hit");
  if (cache.seconds_saved) {
    parts.Add("which saved " + SecondsText(*cache.seconds_saved) + " as PyTorch reckons");
  }
  if (cache.misses > 0) {
    parts.Add(std::to_string(cache.misses) + (cache.misses == 1 ? " miss" : " misses"));
  }
  if (cache.bypasses > 0) {
    parts.Add(std::to_string(cache.bypasses) + (cache.bypasses == 1 ? " bypass" : " bypasses"));
  }
  return parts.empty() ? std::string() : "graph caches: " + parts.text();
}

std::string EagerText(const EagerFunction& function) {
  std::string text = PlaceText(function.where);
  if (function.limit > 0) text += ", limit " + std::to_string(function.limit);
  if (!function.below.empty()) {
    text += ", with " + Counted(function.below.size(), "resume function") + " of it";
  }
  return text;
}

/// What the run lost for good: functions that are not compiled any more.
void PrintEagerFunctions(const std::vector<EagerFunction>& functions, bool all, PrintedText& page) {
  if (functions.empty()) return;
  const bool is_one = functions.size() == 1;
  page.Begin(0, 2).Add(TextStyle::kError, Counted(functions.size(), "function"));
  page.Add(TextStyle::kError, is_one ? " runs eager since it hit its recompile limit"
                                     : " run eager since they hit their recompile limit");
  if (is_one) {
    page.Add(": " + EagerText(functions.front())).End();
    return;
  }
  page.Add(":").End();
  const size_t shown = all ? functions.size() : std::min(functions.size(), kMaxEagerFunctions);
  for (size_t i = 0; i < shown; ++i) page.Begin(2, 4).Add(EagerText(functions[i])).End();
  if (shown < functions.size()) {
    page.Begin(2).Add("and " + std::to_string(functions.size() - shown) + " more: --all").End();
  }
}

/// What is not told because the user knows of it.
void PrintBaseline(const BaselineUse& baseline, PrintedText& page) {
  Phrases phrases("; ");
  phrases.Add(Counted(baseline.held_back.size(), "known cause") + " held back by " + baseline.file);
  if (!baseline.worse.empty()) {
    phrases.Add(std::to_string(baseline.worse.size()) + " told all the same: worse than known");
  }
  if (!baseline.stale.empty()) {
    phrases.Add(std::to_string(baseline.stale.size()) +
                (baseline.stale.size() == 1 ? " of its entries does" : " of its entries do") +
                " not occur any more (--update-baseline drops them)");
  }
  page.Begin(0, 2).Add(phrases.text()).End();
}

void PrintHeadline(const LintResult& result, const Session& session, bool all, PrintedText& page) {
  const RunSummary& summary = result.summary;
  const std::string totals = TotalsText(summary);
  page.Begin(0, 2).Add(TextStyle::kStrong, FoundText(CountSeverities(result.findings)));
  if (!totals.empty()) page.Add(TextStyle::kStrong, ": " + totals);
  page.End();
  if (summary.costs && summary.costs->seconds > 0) {
    page.Begin(0, 2).Add(TextStyle::kStrong, CostText(*summary.costs)).End();
  }
  PrintEagerFunctions(summary.eager_functions, all, page);
  if (result.baseline) PrintBaseline(*result.baseline, page);

  Phrases run("; ");
  run.Add(Counted(summary.lines, "line") + " in " + Counted(session.inputs().size(), "input"));
  if (summary.compiles > 0) {
    std::string compiles = Counted(summary.compiles, "compile");
    if (summary.compile_seconds && !summary.costs)
      compiles += " in " + SecondsText(*summary.compile_seconds);
    run.Add(compiles);
  }
  const std::string cache = summary.costs ? CacheText(summary.costs->cache) : std::string();
  if (!cache.empty()) run.Add(cache);
  if (!summary.ranks.empty()) run.Add(RanksText(summary.ranks));
  if (!summary.torch.empty()) {
    std::string torch = "fits torch " + summary.torch;
    if (!summary.torch_why.empty()) torch += ": " + summary.torch_why;
    run.Add(torch);
  }
  page.Begin(0, 2).Add(TextStyle::kFaint, run.text()).End();
  PrintSteps(result.steps, session, all, page);
}

void PrintFindings(const LintResult& result, const Session& session, bool all, PrintedText& page) {
  const size_t num_causes = CountSeverities(result.findings).causes();
  const size_t num_notes = result.findings.size() - num_causes;
  const size_t shown_causes = all ? num_causes : std::min(num_causes, kMaxCauses);
  const size_t shown_notes = all ? num_notes : std::min(num_notes, kMaxNotes);

  // Worst first, so that all notes stand at the end.
  for (size_t i = 0; i < shown_causes; ++i) {
    page.BlankLine();
    PrintFinding(result.findings[i], session, page);
  }
  if (shown_notes > 0) page.BlankLine();
  for (size_t i = 0; i < shown_notes; ++i) {
    PrintNote(result.findings[num_causes + i], session, page);
  }

  Phrases hidden(" and ");
  hidden.AddCount(num_causes - shown_causes, "cause");
  hidden.AddCount(num_notes - shown_notes, "note");
  if (!hidden.empty()) {
    page.BlankLine();
    page.Begin(0).Add(TextStyle::kStrong, hidden.text() + " more: --all").End();
  }
  if (!result.findings.empty()) {
    page.BlankLine();
    page.Begin(0).Add(TextStyle::kFaint, "About a rule: shapewise explain ");
    page.Add(TextStyle::kFaint, result.findings.front().rule).End();
  }
}

/// "Dynamo 0.28 s, AOT 1.79 s, Inductor 45.7 s (45.5 s of it generating code)"
std::string PhasesText(const PhaseSeconds& phases) {
  Phrases parts(", ");
  if (phases.dynamo) parts.Add("Dynamo " + SecondsText(*phases.dynamo));
  if (phases.aot) parts.Add("AOT " + SecondsText(*phases.aot));
  if (phases.inductor) {
    std::string inductor = "Inductor " + SecondsText(*phases.inductor);
    if (phases.code_gen)
      inductor += " (" + SecondsText(*phases.code_gen) + " of it generating code)";
    parts.Add(inductor);
  }
  return parts.text();
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

/// With --all: what each compiled function took, dearest first.
void PrintFunctions(const std::vector<FunctionCost>& functions, PrintedText& page) {
  if (functions.empty()) return;
  page.BlankLine();
  page.Begin(0).Add(TextStyle::kStrong, "Compiled functions").End();
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
    page.End();
  }
}

void PrintGaps(const std::vector<std::string>& gaps, PrintedText& page) {
  if (gaps.empty()) return;
  page.BlankLine();
  page.Begin(0).Add(TextStyle::kStrong, "What this log could not tell").End();
  for (const std::string& gap : gaps) page.Begin(2, 4).Add("- ").Add(gap).End();
}

class TextWriter final : public ReportWriter {
 public:
  std::string_view name() const override { return "text"; }

  void Write(const LintResult& result, const Session& session, const ReportOptions& options,
             llvm::raw_ostream& out) const override {
    PrintedText page(out, options.width, options.color);
    PrintHeadline(result, session, options.all, page);
    if (result.ranks) PrintRanks(*result.ranks, page);
    PrintFindings(result, session, options.all, page);
    if (options.all) PrintFunctions(result.functions, page);
    PrintGaps(result.gaps, page);
  }
};

}  // namespace

const ReportWriter& TextReport() {
  static const TextWriter writer;
  return writer;
}

}  // namespace shapewise
