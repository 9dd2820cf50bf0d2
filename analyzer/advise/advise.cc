#include "advise/advise.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "advise/candidate.h"
#include "advise/policy_words.h"
#include "advise/run_model.h"
#include "causes/version_range.h"
#include "llvm/ADT/STLExtras.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

// The plan has at most this many actions: users do not follow more at once.
constexpr size_t kMaxPlanned = 8;
// Simulating an action replays the calls of the functions it concerns, so only this many are
// simulated.
constexpr size_t kMaxCompared = 256;
// Weight of a function that runs eagerly: the compiles up to the default limit.
constexpr uint64_t kEagerWeight = 8;

/// Weight of a simulated saving, in compiles; 0: nothing is known.
uint64_t WeightOf(const std::optional<Saving>& saving) {
  return saving ? saving->compiles + kEagerWeight * saving->eager_functions : 0;
}

/// For each event, the first finding that contains it.
std::unordered_map<size_t, size_t> FindingsByEvent(const std::vector<Finding>& findings) {
  std::unordered_map<size_t, size_t> by_event;
  for (size_t i = 0; i < findings.size(); ++i) {
    for (const size_t event : findings[i].events) by_event.try_emplace(event, i);
  }
  return by_event;
}

/// Places an action of PolicyCandidates in the list: where the rule of a finding with its events
/// proposes the same, or next to the first finding that contains one.
void FindPlace(const std::vector<Finding>& findings,
               const std::unordered_map<size_t, size_t>& by_event, Candidate& candidate) {
  const Action& action = candidate.ranked.action;
  const auto find_same = [&](const Finding& finding) {
    return llvm::find_if(finding.advice,
                         [&](const Action& advised) { return IsSameAdvice(advised, action); });
  };
  candidate.finding = findings.size();
  bool is_proposed = false;
  for (const size_t event : action.evidence) {
    const auto found = by_event.find(event);
    if (found == by_event.end()) continue;
    const Finding& finding = findings[found->second];
    const bool proposes = find_same(finding) != finding.advice.end();
    if (proposes == is_proposed) {
      candidate.finding = std::min(candidate.finding, found->second);
    } else if (proposes) {
      candidate.finding = found->second;
      is_proposed = true;
    }
  }
  if (candidate.finding == findings.size()) return;
  const Finding& finding = findings[candidate.finding];
  const auto same = find_same(finding);
  candidate.position = static_cast<size_t>(same - finding.advice.begin());
  if (same != finding.advice.end()) candidate.ranked.action = WordedLike(*same, candidate);
  candidate.ranked.rule = finding.rule;
  candidate.ranked.severity = finding.severity;
}

/// Whether lint would print the action, too.
bool IsOfRule(const std::vector<Finding>& findings, const Candidate& candidate) {
  return candidate.finding < findings.size() &&
         candidate.position < findings[candidate.finding].advice.size();
}

/// Whether it is the action that lint prints for its finding.
bool IsFirstOfLint(const std::vector<Finding>& findings, const Candidate& candidate) {
  return candidate.position == 0 && IsOfRule(findings, candidate);
}

/// Whether it makes sizes unbacked that the code may compare, which would break the graph or raise
/// an error.
bool MayCompareUnbacked(const Candidate& candidate) {
  const std::optional<Saving>& saving = candidate.ranked.saving;
  return (!saving || saving->assumes_no_questions) &&
         llvm::any_of(candidate.changes, [](const CodeChange& change) {
           return change.kind == CodeChange::Kind::kMarkUnbacked ||
                  change.kind == CodeChange::Kind::kUnbackedSource;
         });
}

/// Whether the simulator shows that it saves nothing or raises an error. An action that lint prints
/// first is not refuted by a simulation of the sizes that the log happens to show.
bool IsRefuted(const Candidate& candidate) {
  const std::optional<Saving>& saving = candidate.ranked.saving;
  if (!saving) return false;
  const bool is_lints_first = candidate.position == 0 && !candidate.ranked.rule.empty();
  return saving->raises > 0 || (WeightOf(saving) == 0 && (HasFigures(saving) || !is_lints_first));
}

/// Whether it is refuted, or no rule proposes it and the simulator has no answer.
bool IsUseless(const std::vector<Finding>& findings, const Candidate& candidate) {
  return IsRefuted(candidate) || (!candidate.ranked.saving && !IsOfRule(findings, candidate));
}

/// Whether it gives an option that is already set another value.
bool Contradicts(const Candidate& candidate, const std::vector<CodeChange>& changes) {
  return llvm::any_of(candidate.changes, [&](const CodeChange& change) {
    return change.kind == CodeChange::Kind::kDynamicOption &&
           llvm::any_of(changes, [&](const CodeChange& other) {
             return other.kind == change.kind && other.function == change.function;
           });
  });
}

/// Whether one of the two makes a size dynamic that the other pads to static sizes.
bool IsOtherChoice(const Action& bucket, const std::vector<CodeChange>& changes) {
  return bucket.kind == "bucket" && llvm::any_of(changes, [&](const CodeChange& change) {
           return change.kind != CodeChange::Kind::kBuckets && change.dim == bucket.dim &&
                  !change.source.empty() && change.source == DynamoSource(bucket.source);
         });
}

/// Chooses actions to apply together: down the list, until every event is covered.
void Plan(const RunModel& model, const std::vector<Finding>& findings,
          std::vector<Candidate>& candidates, Advice& advice) {
  std::vector<CodeChange> changes;
  std::vector<CodeChange> estimated;  // of them: those with a known saving
  std::set<size_t> answered;          // events
  for (size_t i = 0; i < candidates.size() && advice.plan.size() < kMaxPlanned; ++i) {
    Candidate& candidate = candidates[i];
    const std::vector<size_t>& evidence = candidate.ranked.action.evidence;
    const bool is_part =
        !candidate.changes.empty() && llvm::all_of(candidate.changes, [&](const CodeChange& one) {
          return llvm::is_contained(changes, one);
        });
    const auto are_answered = [&](const std::vector<size_t>& events) {
      return llvm::all_of(events, [&](size_t event) { return answered.contains(event); });
    };
    // Two remedies for one finding are a choice. Others that it may address have a first of their
    // own.
    const bool is_second = candidate.changes.empty() && !candidate.is_first &&
                           candidate.finding < findings.size() &&
                           are_answered(findings[candidate.finding].events);
    const bool is_answered = is_second || are_answered(evidence);
    // Actions for notes are only worthwhile if they are known to save something.
    const bool is_idle =
        candidate.ranked.severity == Severity::kNote && WeightOf(candidate.ranked.saving) == 0;
    const bool is_other_choice =
        IsOtherChoice(candidate.ranked.action, changes) ||
        llvm::any_of(advice.plan, [&](size_t planned) {
          return IsOtherChoice(candidates[planned].ranked.action, candidate.changes);
        });
    if (candidate.ranked.is_experiment || IsRefuted(candidate) || is_idle || is_part ||
        is_answered || is_other_choice || IsToLeave(candidate.ranked.action) ||
        Contradicts(candidate, changes)) {
      continue;
    }
    candidate.ranked.is_planned = true;
    advice.plan.push_back(i);
    answered.insert(evidence.begin(), evidence.end());
    if (candidate.finding < findings.size()) {
      const std::vector<size_t>& events = findings[candidate.finding].events;
      answered.insert(events.begin(), events.end());
    }
    llvm::append_range(changes, candidate.changes);
    if (candidate.ranked.saving) llvm::append_range(estimated, candidate.changes);
  }
  if (!estimated.empty()) advice.together = model.Evaluate(estimated);
  if (!HasFigures(advice.together)) advice.together.reset();
}

/// Sorts the actions in the order of lint; at the same place, actions with the largest known saving
/// come first. Last are those that the simulator shows not to help.
void SortLikeLint(std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(candidates, {}, [](const Candidate& candidate) {
    return std::tuple(IsRefuted(candidate), candidate.ranked.is_experiment, candidate.finding,
                      candidate.position, -static_cast<int64_t>(WeightOf(candidate.ranked.saving)));
  });
}

/// Drops actions of records without a place that are also actions, about the same thing, of a
/// function: a record whose first line is missing is most likely of that.
void DropWithoutPlace(const std::vector<Finding>& findings, std::vector<Candidate>& candidates) {
  using Words =
      std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, int32_t>;
  const auto words_of = [&](const Candidate& candidate) {
    static const std::optional<Culprit> none;
    const bool is_of_finding = candidate.finding < findings.size();
    const auto& culprit = is_of_finding ? findings[candidate.finding].cause : none;
    const Action& action = candidate.ranked.action;
    return Words(action.kind, action.text, action.code,
                 culprit ? std::string_view(culprit->source) : std::string_view(),
                 culprit ? culprit->dim : -1);
  };
  const auto has_place = [](const Candidate& candidate) {
    const Place& target = candidate.ranked.action.target;
    return !target.function.empty() || !target.file.empty();
  };
  std::set<Words> placed;
  for (const Candidate& candidate : candidates) {
    if (has_place(candidate)) placed.insert(words_of(candidate));
  }
  std::vector<bool> is_known;  // the words are those of candidates that do not move yet
  for (const Candidate& candidate : candidates) {
    is_known.push_back(!has_place(candidate) && placed.contains(words_of(candidate)));
  }
  size_t index = 0;
  llvm::erase_if(candidates, [&](const Candidate&) { return is_known[index++]; });
}

}  // namespace

Advice Advise(std::vector<CompiledFrame> frames, const Session& session,
              const std::vector<Finding>& findings, const RunSummary& summary,
              const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
              const RunProbes* probes) {
  const RunModel model(std::move(frames), session, recorded, probes);
  std::vector<Candidate> candidates = PolicyCandidates(model.frames());
  const std::unordered_map<size_t, size_t> by_event = FindingsByEvent(findings);
  for (Candidate& candidate : candidates) FindPlace(findings, by_event, candidate);
  llvm::append_range(candidates, RuleCandidates(findings, candidates));
  const VersionRange range = FitVersion(session);
  llvm::erase_if(candidates, [&](const Candidate& candidate) {
    return !HasReleaseOf(range, candidate.ranked.action.torch);
  });
  Advice advice;
  SortLikeLint(candidates);
  DropWithoutPlace(findings, candidates);
  if (candidates.size() > kMaxCompared) {
    advice.gaps.push_back("Of " + std::to_string(candidates.size()) +
                          " possible actions the first " + std::to_string(kMaxCompared) +
                          " are listed.");
    candidates.resize(kMaxCompared);
  }
  for (Candidate& candidate : candidates) {
    candidate.ranked.policy = PolicyWords(candidate);
    candidate.ranked.saving = model.Evaluate(candidate.changes);
    candidate.ranked.is_experiment |=
        MayCompareUnbacked(candidate) && !IsFirstOfLint(findings, candidate);
  }
  // lint prints the first action without a simulation; the list says what became of it.
  llvm::erase_if(candidates, [&](const Candidate& candidate) {
    return IsUseless(findings, candidate) && !IsFirstOfLint(findings, candidate);
  });
  SortLikeLint(candidates);
  // An experiment that may break the graph must not come first.
  const auto first = llvm::find_if(
      candidates, [](const Candidate& candidate) { return !IsToLeave(candidate.ranked.action); });
  if (first != candidates.end() && first->ranked.is_experiment) {
    llvm::erase_if(candidates, MayCompareUnbacked);
  }
  Plan(model, findings, candidates, advice);

  for (const Finding& finding : findings) {
    for (const NextStep& step : finding.next_steps) {
      if (!llvm::is_contained(advice.next_steps, step)) advice.next_steps.push_back(step);
    }
  }
  for (Candidate& candidate : candidates) {
    RankedAction& ranked = advice.actions.emplace_back(std::move(candidate.ranked));
    if (!HasFigures(ranked.saving)) continue;
    ranked.action.saves_compiles = ranked.saving->compiles;
    ranked.action.saves_seconds = ranked.saving->seconds;
  }
  advice.compiles = model.compiles();
  advice.seconds = summary.compile_seconds;
  return advice;
}

}  // namespace shapewise
