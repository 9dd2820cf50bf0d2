#include "report/run_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "report/text_finding.h"
#include "result/number_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

constexpr size_t kMaxTracks = 4;

/// "the first step, 2 with a recompile", in the order of SlowCause.
std::string CausesText(const StepTrack& track) {
  constexpr std::string_view kWords[] = {
      "the first step",           "with a first compilation",  "with a recompile",
      "with a CUDA graph record", "with a garbage collection", "unexplained"};
  static_assert(std::size(kWords) == kNumSlowCauses);
  std::array<uint64_t, kNumSlowCauses> counts{};
  for (const SlowStep& slow : track.slow) ++counts[static_cast<size_t>(slow.cause)];
  const bool is_compared =
      track.comparison == StepComparison::kClock || track.comparison == StepComparison::kLines;
  std::string text;
  for (size_t i = 0; i < kNumSlowCauses; ++i) {
    if (counts[i] == 0) continue;
    const auto cause = static_cast<SlowCause>(i);
    if (!text.empty()) text += ", ";
    if (cause != SlowCause::kFirstStep) text += std::to_string(counts[i]) + " ";
    text += cause == SlowCause::kUnexplained && !is_compared
                ? "that cannot be compared with compilations"
                : kWords[i];
  }
  return text;
}

/// "120 steps in profile.json: 11.2 ms each; 3 slow (20.0 ms or more) cost ..."
std::string StepTrackText(const StepTrack& track, const Session& session) {
  std::string text = Counted(track.steps, "step") + " in " + session.inputs()[track.input].name;
  if (track.rank >= 0) text += ", rank " + std::to_string(track.rank);
  text += ": " + StepText(track.median) + " each";
  double excess = 0;
  for (const SlowStep& slow : track.slow) excess += slow.seconds - track.median;
  if (track.slow_from == 0) {
    text += "; too few to find slow ones";
  } else if (track.slow.empty()) {
    text += ", none slow";
  } else {
    text += "; " + std::to_string(track.slow.size()) + " slow (" + StepText(track.slow_from) +
            " or more) cost " + SecondsText(excess) + " of " + SecondsText(track.total) + ": " +
            CausesText(track);
  }
  return text;
}

// Smaller differences between ranks are ordinary variation.
constexpr double kMinShownSkew = 0.1;

bool IsParting(const RankDivergence& divergence) {
  constexpr DivergenceKind kKinds[] = {DivergenceKind::kRecompile, DivergenceKind::kBreak,
                                       DivergenceKind::kOrder, DivergenceKind::kPrograms};
  return llvm::is_contained(kKinds, divergence.kind);
}

std::string ActText(const RankAction& action) {
  const std::string& function =
      action.where.function.empty() ? action.user.function : action.where.function;
  std::string text = function.empty() ? action.what : function;
  if (!action.compile_id.empty()) text += " (" + action.compile_id + ")";
  return text;
}

std::string Capitalized(std::string text) {
  if (!text.empty() && text.front() == 'r') text.front() = 'R';
  return text;
}

constexpr size_t kMaxWorkers = 8;

/// "10.52 s": with the precision of the server's own log.
std::string TwoDigits(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f s", seconds);
  return text;
}

/// Adds "Dynamo 10.52 s", if known.
void AddPart(std::string_view name, std::optional<double> seconds, std::string& text) {
  if (!seconds) return;
  if (!text.empty()) text += ", ";
  text += std::string(name) + " " + TwoDigits(*seconds);
}

std::optional<double> Phase(const ServerWorker& worker, const char* name) {
  const auto found = worker.phases.find(name);
  return found == worker.phases.end() ? std::nullopt : std::optional<double>(found->second);
}

std::string SecondsOf(const ServerWorker& worker) {
  std::string text;
  AddPart("model load", Phase(worker, "model_load"), text);
  // vLLM's model load includes that of the weights.
  const bool has_load = Phase(worker, "model_load") || Phase(worker, "load_weights_by_stamps");
  if (!has_load) AddPart("load", Phase(worker, "load_weights"), text);
  AddPart("load", Phase(worker, "load_weights_by_stamps"), text);
  AddPart("Dynamo", worker.dynamo_seconds, text);
  for (const auto& [sizes, seconds] : worker.inductor_seconds) {
    AddPart("Inductor (" + sizes + ")", seconds, text);
  }
  AddPart("cache load", Phase(worker, "cache_load"), text);
  AddPart("torch.compile in total", worker.total_seconds, text);
  AddPart("profile run", Phase(worker, "profile"), text);
  AddPart("kernel warm-up", Phase(worker, "jit_warmup"), text);
  const std::optional<double> all_captures = Phase(worker, "capture_all");
  AddPart("graph capture", all_captures ? all_captures : worker.graph_capture_seconds, text);
  return text;
}

std::string GraphsOf(const ServerWorker& worker) {
  std::string text;
  for (const auto& [mode, graphs] : worker.captured_graphs) {
    text += (text.empty() ? "" : ", ") + std::to_string(graphs) + " " + mode;
  }
  if (text.empty() && worker.capture_sizes) {
    text = Counted(static_cast<uint64_t>(*worker.capture_sizes), "size");
    if (!worker.mode.empty()) text += ", " + worker.mode;
  }
  return text.empty() ? text : "CUDA graphs: " + text;
}

/// "cache cold (/root/.cache/vllm/torch_compile_cache/3fbdd5227b)": the path up to its key.
std::string CacheOf(const ServerWorker& worker) {
  if (worker.cache.empty()) return {};
  const std::string_view dir = worker.cache_dir;
  if (dir.empty()) return "cache " + worker.cache;
  return "cache " + worker.cache + " (" + std::string(dir.substr(0, dir.find("/rank_"))) + ")";
}

/// In several releases, only the first worker prints its phases.
bool IsSilent(const ServerWorker& worker) {
  return SecondsOf(worker).empty() && worker.cache.empty() && worker.captured_graphs.empty();
}

void AddWorker(const ServerWorker& worker, Document& page) {
  page.Begin(2, 4).Add(TextStyle::kLabel, worker.worker.empty() ? "worker" : worker.worker);
  std::string_view separator = ": ";
  for (const std::string& part : {SecondsOf(worker), CacheOf(worker), GraphsOf(worker)}) {
    if (part.empty()) continue;
    page.Add(separator).Add(part);
    separator = "; ";
  }
}

void AddStart(std::span<const ServerWorker> workers, Document& page) {
  const ServerWorker& first = workers.front();
  page.Begin(0, 2).Add(TextStyle::kStrong, first.engine == "vllm" ? "vLLM" : "SGLang");
  page.Add(TextStyle::kStrong, " start " + std::to_string(first.start + 1));
  if (first.engine_init_seconds) {
    page.Add(": the engine took " + TwoDigits(*first.engine_init_seconds));
  } else if (const std::optional<double> scheduler = Phase(first, "scheduler")) {
    page.Add(": the scheduler took " + TwoDigits(*scheduler));
  }
  for (const ServerWorker& worker : workers) {
    if (!worker.unaccounted_seconds) continue;
    page.Add(", " + TwoDigits(*worker.unaccounted_seconds) + " of it not accounted for in the log");
  }
  size_t shown = 0;
  uint64_t silent = 0;
  const bool has_silent = !std::ranges::all_of(workers, IsSilent);
  for (const ServerWorker& worker : workers) {
    if (has_silent && IsSilent(worker)) {
      ++silent;
    } else if (page.all() || shown < kMaxWorkers) {
      AddWorker(worker, page);
      ++shown;
    }
  }
  page.AddRest(shown, workers.size() - silent, "worker", 2);
  if (silent > 0) page.Begin(2).Add(Counted(silent, "more worker") + " without times");
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

/// "graph caches: 3 hits, which saved 12.0 s by PyTorch's estimate, 2 misses"
std::string CacheText(const CacheUse& cache) {
  Phrases parts(", ");
  parts.AddCount(cache.hits, "hit");
  if (cache.seconds_saved) {
    parts.Add("which saved " + SecondsText(*cache.seconds_saved) + " by PyTorch's estimate");
  }
  if (cache.misses > 0) parts.Add(Counted(cache.misses, "miss", "misses"));
  if (cache.bypasses > 0) parts.Add(Counted(cache.bypasses, "bypass", "bypasses"));
  return parts.empty() ? std::string() : "graph caches: " + parts.text();
}

}  // namespace

std::string StepText(double seconds) {
  if (seconds >= 1) return SecondsText(seconds);
  return llvm::formatv("{0:F1} ms", seconds * 1e3).str();
}

void AddSteps(const StepReport& report, const Session& session, Document& page) {
  page.AddSome(report.tracks, kMaxTracks, "list of steps", 2, [&](const StepTrack& track) {
    page.Begin(0, 2).Add(TextStyle::kFaint, StepTrackText(track, session));
  });
}

void AddRanks(const RankComparison& comparison, Document& page) {
  if (comparison.ranks.size() < 2) return;
  page.Begin(0, 2).Add(Capitalized(RanksText(comparison.ranks)));
  const auto parting = std::ranges::find_if(comparison.divergences, IsParting);
  const std::string records = Counted(comparison.agreed, "record");
  if (parting == comparison.divergences.end()) {
    page.Add(" compiled alike, as far as each log goes (" + records + ")");
  } else {
    page.Add(comparison.agreed == 0 ? " have no record in common: "
                                    : " compiled alike at first (" + records + "), then ");
    page.Add(TextStyle::kStrong, RanksText(parting->ranks) + " diverged");
    const std::string time = FormatLogTime(parting->action.time);
    page.Add((time.empty() ? "" : " at " + time) + ": " + ActText(parting->action));
  }
  if (comparison.skew && comparison.skew->seconds >= kMinShownSkew) {
    const RankSkew& skew = *comparison.skew;
    page.Add("; largest skew " + SecondsText(skew.seconds) + " between the " +
             (skew.of_ends ? "ends" : "beginnings") + " of " + ActText(skew.action) + ", rank " +
             std::to_string(skew.last) + " last");
  }
  const auto wait = std::ranges::max_element(
      comparison.divergences, {},
      [](const RankDivergence& divergence) { return divergence.wait_seconds.value_or(0); });
  if (wait != comparison.divergences.end() && wait->wait_seconds) {
    const bool waits_for_others = wait->kind == DivergenceKind::kCache;
    page.Add("; " + RanksText(waits_for_others ? wait->actors : wait->others) + " waited " +
             SecondsText(*wait->wait_seconds) + " (estimated)");
  }
}

void AddServer(const ServerReport& report, Document& page) {
  const std::span<const ServerWorker> workers = report.workers;
  for (size_t first = 0; first < workers.size();) {
    size_t last = first;
    while (last < workers.size() && workers[last].start == workers[first].start) ++last;
    AddStart(workers.subspan(first, last - first), page);
    first = last;
  }
}

void Phrases::AddCount(uint64_t count, std::string_view noun) {
  if (count > 0) Add(Counted(count, noun));
}

SeverityCounts CountSeverities(const std::vector<Finding>& findings) {
  SeverityCounts counts;
  for (const Finding& finding : findings) {
    const Severity severity = finding.severity;
    ++(severity == Severity::kError     ? counts.errors
       : severity == Severity::kWarning ? counts.warnings
                                        : counts.notes);
  }
  return counts;
}

std::string HeadlineText(const LintResult& result) {
  const std::string totals = TotalsText(result.summary);
  std::string found = FoundText(CountSeverities(result.findings));
  if (result.deselected > 0) {
    found += " of the selected rules, " + std::to_string(result.deselected) +
             " of other rules; in the whole log";
  }
  return totals.empty() ? found : found + ": " + totals;
}

std::string CostText(const CompileCosts& costs) {
  Phrases parts(", ");
  const auto add = [&parts](double seconds, std::string_view what) {
    constexpr double kLeastShown = 0.005;  // less is printed as 0.00 s
    if (seconds < kLeastShown) return;
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
  if (!function.user_function.empty()) text = function.user_function + ", compiled as " + text;
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
    phrases.Add(Counted(baseline.stale.size(), "of its entries does", "of its entries do") +
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
    std::string torch = "torch " + summary.torch;
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
