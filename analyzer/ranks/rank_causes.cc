// Converts the comparison of ranks to causes, the input of rules.

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <string>
#include <utility>

#include "causes/display_name.h"
#include "llvm/Support/FormatVariadic.h"
#include "ranks/ranks.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

constexpr size_t kMaxNamedValues = 6;

/// "rank 3", "ranks 0-2, 5"
std::string NameRanks(const std::vector<int32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t first = 0; first < ranks.size();) {
    size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (first > 0) text += ", ";
    text += std::to_string(ranks[first]);
    if (last > first) text += '-' + std::to_string(ranks[last]);
    first = last + 1;
  }
  return text;
}

std::string NameSeconds(double seconds) { return llvm::formatv("{0:F2} s", seconds).str(); }

std::string NameFunction(const RankAction& action) {
  std::string name = DisplayFunction(action.where, action.user);
  if (name.empty()) name = action.user.function;
  if (name.empty()) name = "a function";
  return action.compile_id.empty() ? name : name + " (" + action.compile_id + ")";
}

/// "a graph break (print) in forward (0/0)"
std::string NameAct(const RankAction& action) {
  if (action.what == "compile" || action.what == "recompile") {
    const std::string_view again = action.what == "recompile" ? " again" : "";
    return "compile " + NameFunction(action) + std::string(again);
  }
  if (action.what == "backward") return "compile the backward of " + NameFunction(action);
  std::string what = action.what;
  std::ranges::replace(what, '_', ' ');
  const bool has_type = !action.guard.empty() && !action.culprit;
  return "a " + what + (has_type ? " (" + action.guard + ")" : "") + " in " + NameFunction(action);
}

/// "12 on rank 0, 7 on ranks 1-3"
std::string NameValues(const std::vector<RankValue>& values) {
  std::string text =
      Joined(values | std::views::take(kMaxNamedValues), ", ",
             [](const RankValue& value) { return value.value + " on " + NameRanks(value.ranks); });
  if (values.size() > kMaxNamedValues) {
    text += " and " + std::to_string(values.size() - kMaxNamedValues) + " others";
  }
  return text;
}

/// What the others did, as a phrase that follows their name.
std::string NameInstead(const RankDivergence& divergence) {
  switch (divergence.kind) {
    case DivergenceKind::kCache:
      return divergence.later_seconds
                 ? "compiled it, which took " + NameSeconds(*divergence.later_seconds) + " longer"
                 : "compiled it";
    case DivergenceKind::kLate:
      return "did so " + NameSeconds(divergence.later_seconds.value_or(0)) + " later";
    case DivergenceKind::kLogBegins:
      return "came to it " + std::to_string(divergence.agreed) + " records after the first";
    default:
      break;
  }
  if (!divergence.instead) return "logged nothing more";
  std::string text = "went on to " + NameAct(*divergence.instead);
  if (divergence.later_seconds) {
    text += " and came to it " + NameSeconds(*divergence.later_seconds) + " later";
  }
  return text;
}

/// How the log of ranks that cannot be compared further ends or begins; empty for other kinds.
std::string NameEdge(const RankDivergence& divergence) {
  switch (divergence.kind) {
    case DivergenceKind::kLogEnds:
      return "ends after " + NameAct(divergence.action);
    case DivergenceKind::kLogBegins:
      return "begins with " + NameAct(divergence.action);
    default:
      return {};
  }
}

void AddFact(std::string name, std::string text, Cause& cause) {
  if (!text.empty()) cause.facts.emplace_back(std::move(name), std::move(text));
}

Cause MakeCause(const RankDivergence& divergence) {
  const RankAction& action = divergence.action;
  Cause cause;
  cause.kind = CauseKind::kRankDivergence;
  cause.where = action.where;
  cause.user = action.user;
  cause.display_function = DisplayFunction(action.where, action.user);
  if (cause.display_function.empty()) cause.display_function = action.user.function;
  cause.culprit = action.culprit;
  for (const RankValue& value : divergence.values) {
    if (cause.values.size() < kMaxCauseValues) cause.values.push_back(value.value);
  }
  if (cause.values.empty() && !action.actual.empty()) cause.values = {action.actual};
  cause.distinct_values = std::max(cause.values.size(), divergence.values.size());
  cause.count = divergence.count;
  cause.message = action.guard;
  cause.why = DivergenceKindName(divergence.kind);
  cause.ranks = divergence.ranks;
  cause.events = divergence.events;

  AddFact("act", NameAct(action), cause);
  AddFact("actors", NameRanks(divergence.actors), cause);
  AddFact("agreed", std::to_string(divergence.agreed), cause);
  AddFact("compile_id", action.compile_id, cause);
  AddFact("edge", NameEdge(divergence), cause);
  AddFact("instead", NameInstead(divergence), cause);
  if (!divergence.others.empty()) AddFact("others", NameRanks(divergence.others), cause);
  AddFact("parting", NameRanks(divergence.ranks), cause);
  AddFact("per_rank", NameValues(divergence.values), cause);
  if (divergence.wait_seconds) AddFact("wait", NameSeconds(*divergence.wait_seconds), cause);
  return cause;
}

}  // namespace

std::vector<Cause> RankCauses(const RankComparison& comparison) {
  std::vector<Cause> causes;
  std::array<size_t, kNumDivergenceKinds> cause_of_kind;
  cause_of_kind.fill(comparison.divergences.size());
  for (const RankDivergence& divergence : comparison.divergences) {
    size_t& index = cause_of_kind[static_cast<size_t>(divergence.kind)];
    if (index == comparison.divergences.size()) {
      index = causes.size();
      causes.push_back(MakeCause(divergence));
      continue;
    }
    Cause& cause = causes[index];
    cause.count += divergence.count;
    std::set<int32_t> ranks(cause.ranks.begin(), cause.ranks.end());
    ranks.insert(divergence.ranks.begin(), divergence.ranks.end());
    cause.ranks.assign(ranks.begin(), ranks.end());
    std::set<size_t> events(cause.events.begin(), cause.events.end());
    events.insert(divergence.events.begin(), divergence.events.end());
    cause.events.assign(events.begin(), events.end());
  }
  return causes;
}

}  // namespace shapewise
