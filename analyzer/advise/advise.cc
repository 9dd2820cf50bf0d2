#include "shapewise/advise/advise.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "advise/candidate.h"
#include "advise/policy_words.h"
#include "advise/run_model.h"
#include "causes/version_range.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

// A function that runs eager, and an error, weigh as much as the compiles up to the default limit.
constexpr double kEagerWeight = 8;
// Nothing is worth a new error.
constexpr double kErrorWeight = 1e6;
// A graph break weighs as much as the compile of the rest behind it.
constexpr double kBreakWeight = 1;
// How readily each sort of text is followed.
constexpr double kPasteEase = 1;
constexpr double kCallEase = 0.95;
constexpr double kHandEase = 0.6;
// Nobody follows one more piece of advice for less, beside what else is done.
constexpr double kLeastGain = 0.5;
// The plan looks for the best next action among so many, and has at most so many.
constexpr size_t kMaxTried = 24;
constexpr size_t kMaxPlanned = 8;
// What each action saves takes a look at every compile, so only so many are compared.
constexpr size_t kMaxCompared = 256;

double EaseOf(PasteAt at) {
  switch (at) {
    case PasteAt::kByHand:
      return kHandEase;
    case PasteAt::kBeforeCall:
      return kCallEase;
    default:
      return kPasteEase;
  }
}

/// What a saving weighs, in compiles.
double WeightOf(const Saving& saving, uint64_t breaks) {
  return static_cast<double>(saving.compiles) +
         kEagerWeight * static_cast<double>(saving.eager_functions + saving.errors) -
         kErrorWeight * static_cast<double>(saving.raises) +
         kBreakWeight * static_cast<double>(breaks);
}

/// The savings of a candidate beside `plan`, the changes that are made already and save `base`.
Saving Reckon(const RunModel& model, const Candidate& candidate,
              const std::vector<CodeChange>& plan) {
  std::vector<CodeChange> changes = plan;
  changes.insert(changes.end(), candidate.changes.begin(), candidate.changes.end());
  return model.Evaluate(changes);
}

void AddOwn(const Candidate& candidate, Saving& saving) {
  saving.errors += candidate.errors;
  saving.eager_functions += candidate.eager_functions;
  if (candidate.seconds) saving.seconds = saving.seconds.value_or(0) + *candidate.seconds;
  const bool has_own = candidate.errors > 0 || candidate.eager_functions > 0 ||
                       candidate.breaks > 0 || candidate.seconds;
  if (has_own && saving.basis == SavingBasis::kNone) saving.basis = SavingBasis::kEstimated;
}

class Ranker {
 public:
  Ranker(const RunModel& model, std::vector<Candidate> candidates)
      : model_(model), candidates_(std::move(candidates)) {}

  void Rank() {
    for (Candidate& candidate : candidates_) {
      Saving saving = Reckon(model_, candidate, {});
      AddOwn(candidate, saving);
      candidate.ranked.alone = std::move(saving);
    }
    // A candidate for sizes that saves nothing answers nothing.
    std::erase_if(candidates_, [](const Candidate& candidate) {
      return IsPolicy(candidate.changes) && !candidate.changes.empty() &&
             WeightOf(candidate.ranked.alone, candidate.breaks) <= 0;
    });
    std::ranges::stable_sort(
        candidates_, [](const Candidate& a, const Candidate& b) { return KeyOf(a) > KeyOf(b); });
  }

  /// Adds, again and again, the action that saves most beside those that are chosen already.
  void Plan(Advice& advice) {
    std::vector<CodeChange> changes;
    Saving so_far;
    std::set<size_t> chosen;
    const size_t tried = std::min(candidates_.size(), kMaxTried);
    while (chosen.size() < kMaxPlanned) {
      size_t best = tried;
      double best_score = 0;
      Saving best_saving;
      for (size_t i = 0; i < tried; ++i) {
        const Candidate& candidate = candidates_[i];
        const bool is_open = !chosen.contains(i) && !candidate.ranked.is_experiment &&
                             !IsCovered(candidate, chosen) && !Contradicts(candidate, changes);
        if (!is_open) continue;
        Saving saving = Reckon(model_, candidate, changes);
        const double gain =
            WeightOf(saving, 0) - WeightOf(so_far, 0) +
            kEagerWeight * static_cast<double>(candidate.errors + candidate.eager_functions) +
            kBreakWeight * static_cast<double>(candidate.breaks);
        const double score = gain * ConfidenceOf(candidate);
        if (score <= best_score || score < kLeastGain) continue;
        best = i;
        best_score = score;
        best_saving = std::move(saving);
      }
      if (best == tried) break;
      Candidate& candidate = candidates_[best];
      Saving marginal = Difference(best_saving, so_far);
      AddOwn(candidate, marginal);
      AddOwn(candidate, own_);
      candidate.ranked.in_plan = std::move(marginal);
      chosen.insert(best);
      advice.plan.push_back(best);
      changes.insert(changes.end(), candidate.changes.begin(), candidate.changes.end());
      so_far = std::move(best_saving);
    }
    advice.together = std::move(so_far);
    advice.together.errors += own_.errors;
    advice.together.eager_functions += own_.eager_functions;
    if (own_.seconds) {
      advice.together.seconds = advice.together.seconds.value_or(0) + *own_.seconds;
    }
  }

  std::vector<RankedAction> Take() {
    std::vector<RankedAction> actions;
    actions.reserve(candidates_.size());
    for (Candidate& candidate : candidates_) actions.push_back(std::move(candidate.ranked));
    return actions;
  }

 private:
  static double ConfidenceOf(const Candidate& candidate) {
    return candidate.ranked.action.confidence * EaseOf(candidate.ranked.at);
  }

  static std::tuple<bool, double, Severity> KeyOf(const Candidate& candidate) {
    const double weight = WeightOf(candidate.ranked.alone, candidate.breaks);
    return {!candidate.ranked.is_experiment, weight * ConfidenceOf(candidate),
            candidate.ranked.severity};
  }

  /// Whether what it does by itself, apart from compiles, is done by a chosen one: two ways to mend
  /// one break, one error.
  bool IsCovered(const Candidate& candidate, const std::set<size_t>& chosen) const {
    const bool has_own = candidate.errors + candidate.eager_functions + candidate.breaks > 0;
    if (!has_own) return false;
    return std::ranges::any_of(chosen, [&](size_t index) {
      const std::vector<size_t>& theirs = candidates_[index].ranked.action.evidence;
      return std::ranges::any_of(candidate.ranked.action.evidence, [&](size_t event) {
        return std::ranges::find(theirs, event) != theirs.end();
      });
    });
  }

  /// Whether it sets an option that is set already to something else.
  static bool Contradicts(const Candidate& candidate, const std::vector<CodeChange>& changes) {
    return std::ranges::any_of(candidate.changes, [&](const CodeChange& change) {
      return change.kind == CodeChange::Kind::kDynamicOption &&
             std::ranges::any_of(changes, [&](const CodeChange& other) {
               return other.kind == change.kind && other.function == change.function;
             });
    });
  }

  static Saving Difference(const Saving& with, const Saving& without) {
    Saving saving = with;
    saving.compiles = with.compiles - std::min(with.compiles, without.compiles);
    if (saving.seconds) {
      *saving.seconds = std::max(0.0, *saving.seconds - without.seconds.value_or(0));
    }
    if (saving.slow_steps) {
      *saving.slow_steps -= std::min(*saving.slow_steps, without.slow_steps.value_or(0));
    }
    saving.eager_functions -= std::min(with.eager_functions, without.eager_functions);
    return saving;
  }

  const RunModel& model_;
  std::vector<Candidate> candidates_;
  Saving own_;  // of the plan, besides what the model reckons
};

/// The rule that speaks of the events on which an action of PolicyCandidates rests.
void NameRule(const std::vector<ToldCause>& causes, RankedAction& ranked) {
  if (!ranked.rule.empty()) return;
  bool is_first = true;
  for (const ToldCause& told : causes) {
    const bool speaks = std::ranges::any_of(told.cause.events, [&](size_t event) {
      return std::ranges::find(ranked.action.evidence, event) != ranked.action.evidence.end();
    });
    if (!speaks) continue;
    if (is_first || told.finding.severity > ranked.severity) {
      ranked.rule = told.finding.rule;
      ranked.severity = told.finding.severity;
    }
    is_first = false;
  }
}

/// Drops the actions that answer the fewest events, if there are too many; says so in `gaps`.
void DropLeastUseful(std::vector<Candidate>& candidates, std::vector<std::string>& gaps) {
  if (candidates.size() <= kMaxCompared) return;
  std::ranges::stable_sort(candidates, std::ranges::greater(), [](const Candidate& candidate) {
    return candidate.ranked.action.evidence.size();
  });
  gaps.push_back("Of " + std::to_string(candidates.size()) + " possible actions the " +
                 std::to_string(kMaxCompared) + " that answer the most events were compared.");
  candidates.resize(kMaxCompared);
}

}  // namespace

Advice Advise(const Session& session, const std::vector<ToldCause>& causes,
              const RunSummary& summary, const StepReport& steps,
              const std::vector<std::unique_ptr<RecordedFunction>>& recorded) {
  const RunModel model(session, steps, recorded);
  std::vector<Candidate> candidates = PolicyCandidates(model);
  for (Candidate& candidate : RuleCandidates(causes)) candidates.push_back(std::move(candidate));
  const VersionRange range = FitVersion(session);
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return !HasReleaseOf(range, candidate.ranked.action.torch);
  });
  Advice advice;
  DropLeastUseful(candidates, advice.gaps);
  for (Candidate& candidate : candidates) {
    NameRule(causes, candidate.ranked);
    candidate.ranked.policy = PolicyWords(candidate);
  }

  for (const ToldCause& told : causes) {
    for (const NextStep& step : told.finding.next_steps) {
      if (!llvm::is_contained(advice.next_steps, step)) advice.next_steps.push_back(step);
    }
  }

  Ranker ranker(model, std::move(candidates));
  ranker.Rank();
  ranker.Plan(advice);
  advice.actions = ranker.Take();
  advice.compiles = model.compiles();
  advice.seconds = summary.compile_seconds;
  for (RankedAction& ranked : advice.actions) {
    const Saving& alone = ranked.alone;
    if (alone.basis == SavingBasis::kNone) continue;
    ranked.action.saves_compiles = alone.compiles;
    ranked.action.saves_seconds = alone.seconds;
  }
  return advice;
}

}  // namespace shapewise
