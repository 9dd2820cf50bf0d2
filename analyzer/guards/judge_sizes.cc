#include "guards/judge_sizes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "guards/size_names.h"
#include "llvm/ADT/IntEqClasses.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Up to this many guards, sets of one and two guards to remove are searched exhaustively.
constexpr size_t kMaxChangeable = 24;

/// The guards connected with one size, as a system.
class Component {
 public:
  /// The group of `symbol` in `groups`, taken from `guards`.
  Component(const std::vector<EntryGuard>& guards, const GuardGroups& groups, ExprId symbol,
            ExprPool& pool, uint64_t steps)
      : guards_(guards), symbol_(symbol), pool_(pool), steps_(steps) {
    const GuardGroup group = groups.Join({symbol});
    for (const size_t guard : group.guards) {
      if (guards[guard].is_zero_one) {
        for (const ExprId s : pool.SymbolsOf(guards[guard].predicate)) has_zero_one_.insert(s);
      } else {
        members_.push_back(guard);
      }
    }
    symbols_.assign(group.symbols.begin(), group.symbols.end());
  }

  /// Assumes that sizes without a lower bound in the guards are at least 2.
  void AssumeZeroOne() {
    for (const ExprId s : symbols_) has_zero_one_.insert(s);
  }

  bool has_zero_one() const { return !has_zero_one_.empty(); }
  const std::vector<ExprId>& symbols() const { return symbols_; }

  VariableAnalysis Analyze() const { return AnalyzeWithout({}); }

  /// The same without some of members(), given in ascending order.
  VariableAnalysis AnalyzeWithout(const std::vector<size_t>& left_out) const {
    ConstraintSystem system(pool_, steps_);
    for (const ExprId s : symbols_) AddDomain(system, pool_, s, has_zero_one_.contains(s));
    std::vector<size_t> added;
    for (const size_t member : members_) {
      if (std::ranges::find(left_out, member) != left_out.end()) continue;
      system.AddConstraint(guards_[member].predicate);
      added.push_back(member);
    }
    if (added.empty()) return Unguarded();
    VariableAnalysis analysis = system.Analyze(symbol_);
    for (size_t& culprit : analysis.culprits) culprit = added[culprit];
    return analysis;
  }

  std::vector<GuardLine> Lines(const std::vector<size_t>& guards) const {
    std::vector<GuardLine> lines;
    for (const size_t guard : guards) {
      const GuardLine& line = guards_[guard].line;
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
    return lines;
  }

  bool HasDuck(const std::vector<size_t>& guards) const {
    return std::ranges::any_of(guards, [&](size_t guard) { return guards_[guard].is_duck; });
  }

  /// The smallest set of guards, at most two, without which the size has more than one value;
  /// empty: none was found. `culprits` is one set that pins it, so one of them must be removed in
  /// any case.
  std::vector<size_t> SmallestChange(const std::vector<size_t>& culprits) const {
    if (members_.size() > kMaxChangeable) return {};
    const auto frees = [&](const std::vector<size_t>& left_out) {
      const Freedom freedom = AnalyzeWithout(left_out).freedom;
      return freedom != Freedom::kPinned && freedom != Freedom::kUnknown &&
             freedom != Freedom::kImpossible;
    };
    for (const size_t one : culprits) {
      if (frees({one})) return {one};
    }
    for (const size_t one : culprits) {
      for (const size_t other : members_) {
        if (other == one) continue;
        const std::vector<size_t> pair{std::min(one, other), std::max(one, other)};
        if (frees(pair)) return pair;
      }
    }
    return {};
  }

 private:
  /// Its whole domain.
  VariableAnalysis Unguarded() const {
    VariableAnalysis analysis;
    analysis.freedom = Freedom::kFree;
    analysis.range = DomainOf(pool_.name(symbol_));
    if (has_zero_one_.contains(symbol_) && analysis.range.lower) analysis.range.lower = 2;
    analysis.culprits_are_minimal = true;
    return analysis;
  }

  const std::vector<EntryGuard>& guards_;
  ExprId symbol_;
  ExprPool& pool_;
  uint64_t steps_;
  std::vector<size_t> members_;
  std::vector<ExprId> symbols_;
  std::set<ExprId> has_zero_one_;
};

SizeVerdict VerdictOf(Freedom freedom) {
  switch (freedom) {
    case Freedom::kFree:
      return SizeVerdict::kFree;
    case Freedom::kBounded:
      return SizeVerdict::kBounded;
    case Freedom::kDivisible:
      return SizeVerdict::kDivisible;
    case Freedom::kRestricted:
      return SizeVerdict::kRestricted;
    case Freedom::kPinned:
      return SizeVerdict::kPinned;
    case Freedom::kImpossible:
    case Freedom::kUnknown:
      return SizeVerdict::kUnknown;
  }
  return SizeVerdict::kUnknown;
}

/// Whether a guard that could not be parsed may mention one of `symbols`.
bool MayTouch(const std::string& unread, const std::vector<ExprId>& symbols, const ExprPool& pool) {
  return std::ranges::any_of(symbols, [&](ExprId symbol) {
    return HasText(unread, ParseSizeName(pool.name(symbol)).source);
  });
}

/// For a size that was a symbol and became a constant: finds the guards added by code that cause
/// it.
void ExplainSpecialization(const GuardedEntry& entry, const EntryGroups& groups, ExprId symbol,
                           ExprPool& pool, uint64_t steps, EntryVerdict& verdict) {
  verdict.pinned_by = PinnedBy::kSpecialization;
  Component component(entry.added, groups.added, symbol, pool, steps);
  component.AssumeZeroOne();
  const VariableAnalysis analysis = component.Analyze();
  if (analysis.freedom != Freedom::kPinned) return;
  verdict.because = component.Lines(analysis.culprits);
  verdict.is_minimal = analysis.culprits_are_minimal;
  verdict.smallest_change = component.Lines(component.SmallestChange(analysis.culprits));
}

EntryVerdict JudgeConstant(const GuardedEntry& entry, const EntryGroups& groups, ExprId symbol,
                           const EntryConstant& constant, ExprPool& pool, uint64_t steps) {
  EntryVerdict verdict;
  verdict.verdict = SizeVerdict::kPinned;
  verdict.pinned_by = PinnedBy::kStatic;
  verdict.value = verdict.lower = verdict.upper = constant.value;
  verdict.modulus = 0;
  verdict.remainder = constant.value;
  verdict.because = {entry.guards[constant.guard].line};
  verdict.is_minimal = true;
  if (entry.specializations.contains(symbol)) {
    ExplainSpecialization(entry, groups, symbol, pool, steps, verdict);
  }
  return verdict;
}

}  // namespace

void AddDomain(ConstraintSystem& system, const ExprPool& pool, ExprId symbol, bool has_zero_one) {
  Interval domain = DomainOf(pool.name(symbol));
  if (has_zero_one && domain.lower) domain.lower = 2;
  system.AddVariable(symbol, domain);
}

size_t EntryGroups::CountGuards(ExprId symbol) const {
  const GuardGroup* group = guards.Find(symbol);
  return group == nullptr ? 0 : group->guards.size();
}

EntryVerdict JudgeSize(const GuardedEntry& entry, const EntryGroups& groups, ExprId symbol,
                       ExprPool& pool, uint64_t steps) {
  const auto constant = entry.constants.find(symbol);
  if (constant != entry.constants.end()) {
    return JudgeConstant(entry, groups, symbol, constant->second, pool, steps);
  }
  const Component component(entry.guards, groups.guards, symbol, pool, steps);
  const VariableAnalysis analysis = component.Analyze();
  EntryVerdict verdict;
  verdict.verdict = VerdictOf(analysis.freedom);
  verdict.lower = analysis.range.lower;
  verdict.upper = analysis.range.upper;
  verdict.modulus = analysis.congruence.modulus;
  verdict.remainder = analysis.congruence.remainder;
  verdict.value = analysis.value;
  verdict.because = component.Lines(analysis.culprits);
  verdict.is_minimal = analysis.culprits_are_minimal;
  verdict.is_duck = component.HasDuck(analysis.culprits);
  const bool is_size = ParseSizeName(pool.name(symbol)).kind == GuardedKind::kSize;
  if (verdict.verdict == SizeVerdict::kBounded && is_size && component.has_zero_one() &&
      verdict.lower == 2 && !verdict.upper) {
    // Equal to a size that excludes 0 and 1, which is not caused by code.
    verdict.verdict = SizeVerdict::kFree;
    verdict.because.clear();
  }
  if (verdict.verdict == SizeVerdict::kPinned) {
    verdict.pinned_by = PinnedBy::kRelations;
    verdict.smallest_change = component.Lines(component.SmallestChange(analysis.culprits));
    return verdict;  // More guards can only exclude more values.
  }
  if (analysis.freedom == Freedom::kImpossible) {
    verdict.why_unknown = "its guards contradict each other";
  } else if (analysis.freedom == Freedom::kUnknown) {
    verdict.why_unknown = "its guards are beyond what the solver decides";
  }
  if (!entry.is_printed) {
    verdict.verdict = SizeVerdict::kUnknown;
    verdict.why_unknown = entry.why_not;
  }
  for (const std::string& unread : entry.unread) {
    if (!MayTouch(unread, component.symbols(), pool)) continue;
    verdict.verdict = SizeVerdict::kUnknown;
    verdict.why_unknown = "a guard is not understood: " + unread;
    break;
  }
  return verdict;
}

CallJudge::CallJudge(const GuardedEntry& entry, ExprPool& pool, uint64_t steps)
    : entry_(entry), pool_(pool), steps_(steps) {
  for (const EntryGuard& guard : entry.guards) {
    std::vector<ExprId> symbols = pool.SymbolsOf(guard.predicate);
    // A call is given by its sizes; its strides are assumed to match.
    const bool has_stride = std::ranges::any_of(symbols, [&](ExprId symbol) {
      return ParseSizeName(pool.name(symbol)).kind == GuardedKind::kStride;
    });
    if (!has_stride) guards_.push_back({guard.predicate, std::move(symbols)});
  }
}

Truth CallJudge::Takes(const std::vector<std::pair<ExprId, int64_t>>& values) const {
  const auto value_of = [&](ExprId symbol) -> std::optional<int64_t> {
    const auto given = std::ranges::find(values, symbol, &std::pair<ExprId, int64_t>::first);
    if (given != values.end()) return given->second;
    // A value that the call does not give is the one the entry was compiled for, if that is a
    // constant.
    const auto constant = entry_.constants.find(symbol);
    if (constant != entry_.constants.end()) return constant->second.value;
    return std::nullopt;
  };
  std::vector<const SizeGuard*> open_guards;
  for (const SizeGuard& guard : guards_) {
    const auto holds = pool_.Evaluate(guard.predicate, value_of);
    if (!holds) open_guards.push_back(&guard);
    if (holds && *holds == 0) return Truth::kFalse;
  }
  Truth takes = Truth::kTrue;
  if (!open_guards.empty()) {
    ConstraintSystem system(pool_, steps_);
    std::set<ExprId> known;
    for (const SizeGuard* guard : open_guards) {
      for (const ExprId symbol : guard->symbols) {
        if (!known.insert(symbol).second) continue;
        if (const auto value = value_of(symbol)) {
          system.AddVariable(symbol, {value, value});
        } else {
          AddDomain(system, pool_, symbol, /*has_zero_one=*/false);
        }
      }
      system.AddConstraint(guard->predicate);
    }
    takes = system.IsSatisfiable();
  }
  if (takes == Truth::kTrue && !entry_.IsWhole()) return Truth::kUnknown;
  return takes;
}

GuardGroups::GuardGroups(const std::vector<EntryGuard>& guards, const ExprPool& pool) {
  llvm::IntEqClasses classes(static_cast<unsigned>(guards.size()));
  std::map<ExprId, unsigned> first_guard;
  std::vector<std::vector<ExprId>> symbols;
  for (unsigned i = 0; i < guards.size(); ++i) {
    for (const ExprId symbol : symbols.emplace_back(pool.SymbolsOf(guards[i].predicate))) {
      classes.join(first_guard.try_emplace(symbol, i).first->second, i);
    }
  }
  classes.compress();
  groups_.resize(classes.getNumClasses());
  for (unsigned i = 0; i < guards.size(); ++i) {
    GuardGroup& group = groups_[classes[i]];
    group.guards.push_back(i);
    for (const ExprId symbol : symbols[i]) {
      group.symbols.insert(symbol);
      group_of_symbol_.try_emplace(symbol, classes[i]);
    }
  }
}

const GuardGroup* GuardGroups::Find(ExprId symbol) const {
  const auto found = group_of_symbol_.find(symbol);
  return found == group_of_symbol_.end() ? nullptr : &groups_[found->second];
}

GuardGroup GuardGroups::Join(const std::set<ExprId>& symbols) const {
  GuardGroup joined;
  joined.symbols = symbols;
  std::set<const GuardGroup*> seen;
  for (const ExprId symbol : symbols) {
    const GuardGroup* group = Find(symbol);
    if (group == nullptr || !seen.insert(group).second) continue;
    joined.guards.insert(joined.guards.end(), group->guards.begin(), group->guards.end());
    joined.symbols.insert(group->symbols.begin(), group->symbols.end());
  }
  std::ranges::sort(joined.guards);
  return joined;
}

}  // namespace shapewise
