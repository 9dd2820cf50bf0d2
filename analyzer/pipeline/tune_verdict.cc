// Decides which actions of `tune` help, by comparison with the unchanged program.

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/tune.h"
#include "result/number_text.h"

namespace shapewise {
namespace {

constexpr double kRealBackend = 10;  // fused kernels round otherwise: so much more tolerance
constexpr double kLeastGain = 1.03;  // times that differ by less are the same

bool IsClose(double a, double b, double scale, double tolerance) {
  return std::abs(a - b) <= tolerance * (std::max(std::abs(a), std::abs(b)) + scale);
}

bool AreEqual(const TuneOutput& a, const TuneOutput& b, double slack) {
  return std::ranges::equal(a.values, b.values, [&](const auto& x, const auto& y) {
    return x.kind == y.kind &&
           std::ranges::equal(x.numbers, y.numbers, [&](double left, double right) {
             return IsClose(left, right, x.scale, x.tolerance * slack);
           });
  });
}

const TuneOutput* OutputOf(const std::vector<TuneOutput>& outputs, uint64_t call) {
  const auto found = std::ranges::lower_bound(outputs, call, {}, &TuneOutput::call);
  return found != outputs.end() && found->call == call ? &*found : nullptr;
}

std::string ScoreText(const TuneScore& score) {
  std::string number;
  llvm::raw_string_ostream(number) << llvm::format("%g", score.number);
  return score.name + " " + number;
}

/// Sets `equal` of the run of `observed`.
void CompareResults(const TuneObservation& baseline, const TuneObservation* repeated, double slack,
                    TuneObservation& observed) {
  TuneRun& run = observed.run;
  if (repeated == nullptr) {
    run.equal_why = "the unchanged program did not run twice";
    return;
  }
  size_t known = 0;
  size_t differing = 0;
  for (const TuneOutput& output : baseline.outputs) {
    const TuneOutput* again = OutputOf(repeated->outputs, output.call);
    const TuneOutput* changed = OutputOf(observed.outputs, output.call);
    if (again == nullptr || changed == nullptr) continue;
    if (!AreEqual(output, *again, slack)) {
      ++differing;
      continue;
    }
    ++known;
    if (AreEqual(output, *changed, slack)) continue;
    run.equal = false;
    run.equal_why = "call " + std::to_string(output.call) + " returns other results";
    return;
  }
  const auto [least, most] =
      std::minmax({baseline.scores.size(), repeated->scores.size(), observed.scores.size()});
  // Scores of several processes are sorted: with one more, others no longer correspond.
  const size_t scores = observed.processes > 1 && least < most ? 0 : least;
  for (size_t i = 0; i < scores; ++i) {
    if (!AreEqualScores(baseline.scores[i], repeated->scores[i])) continue;
    ++known;
    if (AreEqualScores(baseline.scores[i], observed.scores[i])) continue;
    run.equal = false;
    run.equal_why = "it prints '" + ScoreText(observed.scores[i]) + "' instead of '" +
                    ScoreText(baseline.scores[i]) + "'";
    return;
  }
  // Differences between two runs of the same program say nothing about an action.
  if (known > differing) {
    run.equal = true;
  } else {
    run.equal_why = differing > 0 ? "two runs of the unchanged program return different results"
                                  : "no call returns anything that can be compared";
  }
}

/// "at call 3: TypeError: ..."
std::string ErrorText(const TuneRun& run) {
  const std::string where =
      run.error_call ? "call " + std::to_string(*run.error_call) + " raises " : "";
  if (!run.error.empty()) return where + run.error;
  return "the program ends with status " + std::to_string(run.status);
}

/// Why the run did not do what the unchanged program did; empty: it did.
std::string FailureOf(const TuneRun& base, const TuneRun& run) {
  if (run.end == TuneEnd::kInterrupted) return "it was interrupted";
  const bool is_late = run.end == TuneEnd::kTimeout || run.end == TuneEnd::kSeconds;
  if (is_late && run.steps < base.steps) {
    return "it made " + std::to_string(run.steps) + " of " + std::to_string(base.steps) +
           " calls in " + SecondsText(run.run_seconds);
  }
  if (run.HasFailed() && !base.HasFailed()) return ErrorText(run);
  if (run.errors > base.errors) return ErrorText(run);
  if (run.steps < base.steps) {
    return "it makes " + std::to_string(run.steps) + " of " + std::to_string(base.steps) + " calls";
  }
  return {};
}

/// Differing counts of two runs, in words.
struct CountChanges {
  std::vector<std::string> lower;
  std::vector<std::string> higher;
  bool cures_eager = false;   ///< fewer eager calls or limit hits, and no count higher
  bool only_compiles = true;  ///< all higher counts are compiles
};

CountChanges CompareCounts(const TuneRun& base, const TuneRun& run) {
  CountChanges changes;
  const auto compare = [&](uint64_t before, uint64_t after, const std::string& noun) {
    if (before == after) return;
    const std::string text = std::to_string(after) + " " + noun + (after == 1 ? "" : "s") +
                             " instead of " + std::to_string(before);
    (after < before ? changes.lower : changes.higher).push_back(text);
    if (after > before && noun != "compile") changes.only_compiles = false;
  };
  if (base.HasFailed() && !run.HasFailed()) {
    changes.lower.push_back("the program does not fail: " + ErrorText(base));
  }
  compare(base.errors, run.errors, "error");
  compare(base.eager_calls, run.eager_calls, "eager call");
  compare(base.limit_hits, run.limit_hits, "limit hit");
  compare(base.graph_breaks, run.graph_breaks, "graph break");
  compare(base.compiles, run.compiles, "compile");
  changes.cures_eager = run.eager_calls <= base.eager_calls && run.limit_hits <= base.limit_hits &&
                        run.eager_calls + run.limit_hits < base.eager_calls + base.limit_hits;
  return changes;
}

/// The verdict of the real backend's times: 1 faster, -1 slower, 0 the same.
int CompareTimes(const TuneRun& base, const TuneRun& run) {
  if (!base.steps_per_second || !run.steps_per_second) return 0;
  const MeasuredRange& before = *base.steps_per_second;
  const MeasuredRange& after = *run.steps_per_second;
  if (after.low > before.high * kLeastGain) return 1;
  return after.high * kLeastGain < before.low ? -1 : 0;
}

void Decide(const TuneRun& base, bool has_real_backend, TunedAction& action) {
  const TuneRun& run = *action.run;
  const auto decide = [&](TuneVerdict verdict, std::string why) {
    action.verdict = verdict;
    action.why = std::move(why);
  };
  if (!run.problem.empty()) return decide(TuneVerdict::kNotApplied, run.problem);
  if (std::string failure = FailureOf(base, run); !failure.empty()) {
    return decide(TuneVerdict::kFailed, std::move(failure));
  }
  if (run.equal == false) return decide(TuneVerdict::kDifferent, run.equal_why);
  const CountChanges changes = CompareCounts(base, run);
  const int times = has_real_backend ? CompareTimes(base, run) : 0;
  const std::string lower = llvm::join(changes.lower, ", ");
  const std::string higher = llvm::join(changes.higher, ", ");
  const bool pays = changes.higher.empty() || (changes.cures_eager && changes.only_compiles);
  if (changes.lower.empty() && changes.higher.empty()) {
    if (times > 0) return decide(TuneVerdict::kBetter, "faster steps");
    if (times < 0) return decide(TuneVerdict::kWorse, "slower steps");
    return decide(TuneVerdict::kNoChange, "all counts are the same");
  }
  if (changes.lower.empty()) return decide(TuneVerdict::kWorse, higher);
  const std::string both = higher.empty() ? lower : lower + "; but " + higher;
  if (pays && times < 0 && run.wall_seconds > base.wall_seconds) {
    return decide(TuneVerdict::kMixed, both + "; but slower steps");
  }
  decide(pays ? TuneVerdict::kBetter : TuneVerdict::kMixed, both);
}

/// What an action changes, to avoid combining two that change the same.
std::set<std::string> ChangedBy(const TunedAction& action) {
  std::set<std::string> changed;
  for (const RankedAction& part : action.parts) {
    std::string_view words = part.policy;
    if (words.empty()) changed.insert("code");
    while (!words.empty()) {
      const std::string_view word = words.substr(0, words.find(" + "));
      words.remove_prefix(std::min(words.size(), word.size() + 3));
      const std::string_view name = word.substr(0, word.find_first_of("(= "));
      const bool is_shapes = name == "dynamic" || name.find("mark") != std::string_view::npos ||
                             name.ends_with("_sources") || name == "buckets";
      changed.insert(is_shapes ? "shapes" : std::string(name));
    }
  }
  return changed;
}

/// Ascending: better actions first.
auto RankOf(const TunedAction& action) {
  const TuneRun& run = *action.run;
  return std::tuple(run.HasFailed(), run.errors, run.eager_calls, run.limit_hits, run.graph_breaks,
                    run.compiles, run.recompiles, action.parts.size());
}

/// Whether some count of `other` is lower than that of `best`, so that both together may be better.
bool AddsTo(const TuneRun& best, const TuneRun& other) {
  return other.errors < best.errors || other.eager_calls < best.eager_calls ||
         other.limit_hits < best.limit_hits || other.graph_breaks < best.graph_breaks ||
         other.compiles < best.compiles;
}

}  // namespace

void JudgeTunedAction(const TuneObservation& baseline, const TuneObservation* repeated,
                      TuneObservation observed, bool has_real_backend, TunedAction& action) {
  CompareResults(baseline, repeated, has_real_backend ? kRealBackend : 1, observed);
  action.run = std::move(observed.run);
  Decide(baseline.run, has_real_backend, action);
}

std::optional<size_t> BestTunedAction(const std::vector<TunedAction>& actions) {
  std::optional<size_t> best;
  for (size_t i = 0; i < actions.size(); ++i) {
    if (actions[i].verdict != TuneVerdict::kBetter) continue;
    if (!best || RankOf(actions[i]) < RankOf(actions[*best])) best = i;
  }
  return best;
}

std::optional<TunedAction> CombineTunedActions(const std::vector<TunedAction>& actions) {
  const std::optional<size_t> best = BestTunedAction(actions);
  if (!best) return std::nullopt;
  std::vector<size_t> order;
  for (size_t i = 0; i < actions.size(); ++i) {
    if (i == *best || actions[i].verdict != TuneVerdict::kBetter) continue;
    if (AddsTo(*actions[*best].run, *actions[i].run)) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](size_t i) { return RankOf(actions[i]); });
  TunedAction combined = actions[*best];
  std::set<std::string> changed = ChangedBy(combined);
  for (const size_t i : order) {
    const std::set<std::string> more = ChangedBy(actions[i]);
    const bool is_apart =
        std::ranges::none_of(more, [&](const std::string& name) { return changed.contains(name); });
    if (!is_apart) continue;
    changed.insert(more.begin(), more.end());
    combined.policy += " + " + actions[i].policy;
    combined.parts.insert(combined.parts.end(), actions[i].parts.begin(), actions[i].parts.end());
    combined.functions.insert(combined.functions.end(), actions[i].functions.begin(),
                              actions[i].functions.end());
    combined.patches.insert(combined.patches.end(), actions[i].patches.begin(),
                            actions[i].patches.end());
  }
  if (combined.policy == actions[*best].policy) return std::nullopt;
  combined.origin = "combination";
  combined.run.reset();
  combined.verdict = TuneVerdict::kNotRun;
  combined.why.clear();
  return combined;
}

Advice AdviceOfTune(const TuneReport& report) {
  Advice advice;
  if (!report.best) return advice;
  const TunedAction& best = report.actions[*report.best];
  advice.actions = best.parts;
  for (size_t i = 0; i < advice.actions.size(); ++i) {
    advice.actions[i].is_planned = true;
    advice.plan.push_back(i);
  }
  return advice;
}

}  // namespace shapewise
