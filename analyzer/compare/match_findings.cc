// Matching runs in stages, each on the findings that earlier stages left unmatched. A stage
// computes a key for each finding or skips it; findings of both runs with the same key are
// candidates. Only the fingerprint stage pairs several findings with one key. The other stages
// require exactly one candidate in each run, because a choice would be arbitrary, and an additional
// condition, so that a fixed cause does not hide a similar new one.

#include "compare/compare_runs.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace shapewise {
namespace {

constexpr std::string_view kAfterBreak = " (after a break)";

// Maximum distance in lines that a renamed function may have moved.
constexpr uint32_t kMaxMovedLines = 50;

// Names that do not identify a function.
constexpr std::string_view kCommonNames[] = {"<lambda>", "<module>", "__call__", "call",
                                             "fn",       "forward",  "inner",    "main",
                                             "run",      "step",     "train",    "wrapper"};

// Guard classes that may replace each other for one culprit, depending on the release or the order
// of calls.
constexpr GuardClass kOfObjects[] = {GuardClass::kBool, GuardClass::kNone, GuardClass::kType,
                                     GuardClass::kIdentity};
constexpr GuardClass kOfContainers[] = {GuardClass::kKeys, GuardClass::kLength};

// A function, without the suffix after a break, and its file.
using NamedFunction = std::pair<std::string_view, std::string_view>;

NamedFunction NamedFunctionOf(const Finding& finding) {
  std::string_view function = finding.identity.function;
  if (function.ends_with(kAfterBreak)) function.remove_suffix(kAfterBreak.size());
  return {function, finding.identity.file};
}

std::set<NamedFunction> FunctionsOf(const std::vector<Finding>& findings) {
  std::set<NamedFunction> functions;
  for (const Finding& finding : findings) functions.insert(NamedFunctionOf(finding));
  return functions;
}

/// Whether both lines are known and at most `max_lines` apart.
bool AreNear(const Finding& before, const Finding& after, uint32_t max_lines) {
  const auto line_of = [](const Finding& finding) {
    return finding.user.line != 0 ? finding.user.line : finding.where.line;
  };
  const uint32_t a = line_of(before);
  const uint32_t b = line_of(after);
  return a != 0 && b != 0 && std::max(a, b) - std::min(a, b) <= max_lines;
}

bool NamesCulprit(const Finding& finding) {
  return finding.cause && finding.cause->guard_class != GuardClass::kEmpty;
}

bool HasRegistryId(const Finding& finding) { return finding.identity.type.starts_with("GB"); }

/// A break whose wording in one release is not in the registry, and its possible counterpart in
/// another.
bool MayBeOneBreak(const Finding& before, const Finding& after) {
  if (HasRegistryId(before) && HasRegistryId(after)) return false;
  const bool is_either = HasRegistryId(before) || HasRegistryId(after);
  return AreNear(before, after, is_either ? kMaxMovedLines : 0);
}

bool IsOneOf(GuardClass guard_class, std::span<const GuardClass> classes) {
  return std::ranges::find(classes, guard_class) != classes.end();
}

// The keys of the stages. A finding with neither culprit nor type is not specific enough to be
// matched in another place.

bool IsPlain(const Identity& identity) {
  // Global state is one culprit, which has no source.
  const bool is_global_state = identity.guard_class == GuardClassName(GuardClass::kGlobalState);
  return identity.source.empty() && identity.type.empty() && !is_global_state;
}

std::optional<Identity> KeyOfSource(const Finding& finding) {
  Identity key = finding.identity;
  if (!finding.cause || key.source.empty()) return std::nullopt;
  const bool is_object = IsOneOf(finding.cause->guard_class, kOfObjects);
  if (!is_object && !IsOneOf(finding.cause->guard_class, kOfContainers)) return std::nullopt;
  key.guard_class = is_object ? "of objects" : "of containers";
  key.dim = -1;
  return key;
}

std::optional<Identity> KeyOfBreakPlace(const Finding& finding) {
  Identity key = finding.identity;
  if (key.kind != "graph_break" || key.function.empty()) return std::nullopt;
  key.type.clear();
  return key;
}

std::optional<Identity> KeyOfPlace(const Finding& finding) {
  Identity key = finding.identity;
  if (IsPlain(key) || key.file.empty()) return std::nullopt;
  key.function.clear();
  return key;
}

std::optional<Identity> KeyOfEagerFunction(const Finding& finding) {
  const Identity& identity = finding.identity;
  if (!finding.runs_eager || identity.function.empty()) return std::nullopt;
  Identity key;
  key.kind = identity.kind;
  key.function = identity.function;
  key.file = identity.file;
  return key;
}

std::optional<Identity> KeyWithoutFile(const Finding& finding) {
  Identity key = finding.identity;
  if (IsPlain(key) || key.function.empty() || key.file.empty()) return std::nullopt;
  key.file.clear();
  return key;
}

std::optional<Identity> KeyWithoutFunction(const Finding& finding) {
  Identity key = finding.identity;
  if (IsPlain(key) || key.function.empty() || key.file.empty()) return std::nullopt;
  key.function = key.function.ends_with(kAfterBreak) ? kAfterBreak : "";
  return key;
}

class Matcher {
  struct Candidates {
    std::vector<size_t> before;
    std::vector<size_t> after;
  };
  using Key = std::optional<Identity>;  // parts that may differ are empty
  using KeyFunction = Key (*)(const Finding&);

  /// Unmatched findings by key; findings without a key are left out.
  template <typename KeyOf>
  auto Gather(const KeyOf& key_of) const {
    std::map<typename decltype(key_of(before_.front()))::value_type, Candidates> candidates;
    for (size_t i = 0; i < before_.size(); ++i) {
      if (is_matched_before_[i]) continue;
      if (const auto key = key_of(before_[i])) candidates[*key].before.push_back(i);
    }
    for (size_t i = 0; i < after_.size(); ++i) {
      if (is_matched_after_[i]) continue;
      if (const auto key = key_of(after_[i])) candidates[*key].after.push_back(i);
    }
    return candidates;
  }

 public:
  Matcher(const std::vector<Finding>& before, const std::vector<Finding>& after)
      : before_(before),
        after_(after),
        functions_before_(FunctionsOf(before)),
        functions_after_(FunctionsOf(after)),
        is_matched_before_(before.size()),
        is_matched_after_(after.size()) {}

  std::vector<FindingMatch> Match() {
    const auto fingerprint = [](const Finding& finding) {
      return std::optional<std::string>(finding.fingerprint);
    };
    for (auto& [key, candidates] : Gather(fingerprint)) PairEqual(candidates);

    PairUnique(MatchedBy::kSource, &KeyOfSource,
               [](const Finding&, const Finding&) { return true; });
    PairUnique(MatchedBy::kWording, &KeyOfBreakPlace, &MayBeOneBreak);
    PairUnique(MatchedBy::kPlace, &KeyOfPlace, [](const Finding& before, const Finding& after) {
      return before.identity.function.empty() != after.identity.function.empty() &&
             AreNear(before, after, kMaxMovedLines);
    });
    PairUnique(MatchedBy::kFunction, &KeyOfEagerFunction,
               [](const Finding& before, const Finding& after) {
                 return !NamesCulprit(before) || !NamesCulprit(after);
               });
    PairUnique(MatchedBy::kMovedFile, &KeyWithoutFile,
               [&](const Finding& before, const Finding& after) { return IsMoved(before, after); });
    PairUnique(
        MatchedBy::kRenamedFunction, &KeyWithoutFunction,
        [&](const Finding& before, const Finding& after) { return IsRenamed(before, after); });

    std::ranges::sort(matches_, {}, &FindingMatch::before);
    return std::move(matches_);
  }

 private:
  void Pair(size_t before, size_t after, MatchedBy matched_by) {
    is_matched_before_[before] = true;
    is_matched_after_[after] = true;
    matches_.push_back({before, after, matched_by});
  }

  /// Pairs findings with equal fingerprints: similar places in one function, or functions with the
  /// same name.
  void PairEqual(Candidates& candidates) {
    const auto in_order = [](const Finding& finding) {
      return std::tie(finding.where.file, finding.where.line, finding.user.file, finding.user.line,
                      finding.rule, finding.message, finding.values, finding.count);
    };
    std::ranges::sort(candidates.before, {}, [&](size_t i) { return in_order(before_[i]); });
    std::ranges::sort(candidates.after, {}, [&](size_t i) { return in_order(after_[i]); });
    if (candidates.before.size() != candidates.after.size()) {
      PairBy(
          [](const Finding& finding) { return std::pair(finding.where.line, finding.user.line); },
          candidates);
      PairBy([](const Finding& finding) { return std::string_view(finding.rule); }, candidates);
    }
    PairBy([](const Finding&) { return 0; }, candidates);
  }

  /// Pairs findings with equal keys in order and removes them from `candidates`, which keep their
  /// order.
  template <typename KeyOf>
  void PairBy(const KeyOf& key_of, Candidates& candidates) {
    std::map<decltype(key_of(before_.front())), std::deque<size_t>> open;
    for (const size_t i : candidates.after) open[key_of(after_[i])].push_back(i);
    for (const size_t i : candidates.before) {
      std::deque<size_t>& same_key = open[key_of(before_[i])];
      if (same_key.empty()) continue;
      Pair(i, same_key.front(), MatchedBy::kFingerprint);
      same_key.pop_front();
    }
    std::erase_if(candidates.before, [&](size_t i) { return is_matched_before_[i]; });
    std::erase_if(candidates.after, [&](size_t i) { return is_matched_after_[i]; });
  }

  template <typename Condition>
  void PairUnique(MatchedBy matched_by, KeyFunction key_of, const Condition& holds) {
    for (const auto& [key, candidates] : Gather(key_of)) {
      if (candidates.before.size() != 1 || candidates.after.size() != 1) continue;
      const size_t before = candidates.before.front();
      const size_t after = candidates.after.front();
      if (holds(before_[before], after_[after])) Pair(before, after, matched_by);
    }
  }

  /// Whether the function of `after` may be that of `before` with a new name: neither name occurs
  /// in the other run, and the place is similar.
  bool IsRenamed(const Finding& before, const Finding& after) const {
    return !functions_after_.contains(NamedFunctionOf(before)) &&
           !functions_before_.contains(NamedFunctionOf(after)) &&
           AreNear(before, after, kMaxMovedLines);
  }

  /// Whether the function of `after` may be that of `before` in another file: neither file contains
  /// it in the other run, and its name or its line is unique.
  bool IsMoved(const Finding& before, const Finding& after) const {
    if (functions_after_.contains(NamedFunctionOf(before)) ||
        functions_before_.contains(NamedFunctionOf(after))) {
      return false;
    }
    const std::string_view function = NamedFunctionOf(before).first;
    const bool is_common = std::ranges::find(kCommonNames, function) != std::end(kCommonNames);
    return !is_common || AreNear(before, after, 0);
  }

  const std::vector<Finding>& before_;
  const std::vector<Finding>& after_;
  const std::set<NamedFunction> functions_before_;
  const std::set<NamedFunction> functions_after_;
  std::vector<bool> is_matched_before_;
  std::vector<bool> is_matched_after_;
  std::vector<FindingMatch> matches_;
};

}  // namespace

std::vector<FindingMatch> MatchFindings(const std::vector<Finding>& before,
                                        const std::vector<Finding>& after) {
  return Matcher(before, after).Match();
}

}  // namespace shapewise
