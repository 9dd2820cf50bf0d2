#include "report/run_words.h"

#include "report/text_finding.h"
#include "result/number_text.h"

namespace shapewise {
namespace {

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

/// "graph caches: 3 hits, which saved 12.0 s by PyTorch's estimate, 2 misses"
std::string CacheText(const CacheUse& cache) {
  Phrases parts(", ");
  parts.AddCount(cache.hits, "hit");
  if (cache.seconds_saved) {
    parts.Add("which saved " + SecondsText(*cache.seconds_saved) + " by PyTorch's estimate");
  }
  if (cache.misses > 0) {
    parts.Add(std::to_string(cache.misses) + (cache.misses == 1 ? " miss" : " misses"));
  }
  if (cache.bypasses > 0) {
    parts.Add(std::to_string(cache.bypasses) + (cache.bypasses == 1 ? " bypass" : " bypasses"));
  }
  return parts.empty() ? std::string() : "graph caches: " + parts.text();
}

}  // namespace

void Phrases::AddCount(uint64_t count, std::string_view noun) {
  if (count > 0) Add(Counted(count, noun));
}

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

std::string HeadlineText(const LintResult& result) {
  const std::string totals = TotalsText(result.summary);
  const std::string found = FoundText(CountSeverities(result.findings));
  return totals.empty() ? found : found + ": " + totals;
}

std::string CostText(const CompileCosts& costs) {
  Phrases parts(", ");
  const auto add = [&parts](double seconds, std::string_view what) {
    if (seconds <= 0) return;
    parts.Add(SecondsText(seconds) + " for " + std::string(what));
  };
  add(costs.recompiles.seconds, "recompiles");
  add(costs.retrace_seconds, "traces discarded at graph breaks");
  add(costs.failed.seconds, "failed compiles");
  add(costs.empty_graphs.seconds, "empty graphs");
  std::string text = SecondsText(costs.seconds) + " compiling";
  if (!parts.empty()) text += ", including " + parts.text();
  if (costs.processes < 2) return text;
  text += "; at most " + SecondsText(costs.slowest_seconds) + " in one of " +
          std::to_string(costs.processes) + " parallel processes";
  if (costs.slowest_rank >= 0) text += " (rank " + std::to_string(costs.slowest_rank) + ")";
  return text;
}

std::string EagerHeadline(const std::vector<EagerFunction>& functions) {
  if (functions.empty()) return {};
  return Counted(functions.size(), "function") +
         (functions.size() == 1 ? " hit its recompile limit and now runs eagerly"
                                : " hit their recompile limit and now run eagerly");
}

std::string EagerText(const EagerFunction& function) {
  std::string text = PlaceText(function.where);
  if (text.empty()) text = "a function that the log does not name";
  if (function.limit > 0) text += ", limit " + std::to_string(function.limit);
  if (!function.below.empty()) {
    text += ", with " + Counted(function.below.size(), "resume function");
  }
  return text;
}

std::string BaselineText(const BaselineUse& baseline) {
  Phrases phrases("; ");
  phrases.Add(Counted(baseline.held_back.size(), "known cause") + " suppressed by " +
              baseline.file);
  if (!baseline.worse.empty()) {
    phrases.Add(std::to_string(baseline.worse.size()) + " reported because they got worse");
  }
  if (!baseline.stale.empty()) {
    phrases.Add(std::to_string(baseline.stale.size()) +
                (baseline.stale.size() == 1 ? " of its entries does" : " of its entries do") +
                " not occur any more (--update-baseline drops them)");
  }
  return phrases.text();
}

std::string RunText(const RunSummary& summary, const Session& session, bool with_reasons) {
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
    if (with_reasons && !summary.torch_why.empty()) torch += ": " + summary.torch_why;
    run.Add(torch);
  }
  return run.text();
}

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

}  // namespace shapewise
