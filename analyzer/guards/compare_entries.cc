#include "guards/compare_entries.h"

#include <algorithm>
#include <optional>
#include <set>

#include "guards/judge_sizes.h"
#include "symbolic/constraint_system.h"

namespace shapewise {
namespace {

// Every entry is compared with every other one; entries beyond what the default limits allow are
// not compared.
constexpr size_t kMaxCompared = 64;

/// Whether a call that satisfies `inner` satisfies all of `outer` except the guards on sizes.
bool OthersAreImplied(const GuardedEntry& inner, const GuardedEntry& outer) {
  for (const auto& [tensor, properties] : outer.properties) {
    const auto found = inner.properties.find(tensor);
    if (found == inner.properties.end() || found->second != properties) return false;
  }
  for (const auto& [tensor, dims] : outer.marks) {
    const auto found = inner.marks.find(tensor);
    if (found == inner.marks.end() || !std::ranges::includes(dims, found->second)) return false;
  }
  return std::ranges::includes(inner.others, outer.others);
}

void AddSymbols(const ExprPool& pool, ExprId predicate, std::set<ExprId>& symbols) {
  const std::vector<ExprId> mentioned = pool.SymbolsOf(predicate);
  symbols.insert(mentioned.begin(), mentioned.end());
}

/// Adds to `system` the guards of `entry` that are connected to `symbols`; its constants are
/// compared by the caller and added as values.
void AddEntry(const GuardedEntry& entry, const GuardGroups& groups, const std::set<ExprId>& symbols,
              ExprPool& pool, ConstraintSystem& system) {
  const GuardGroup group = groups.Join(symbols);
  for (const ExprId symbol : group.symbols) {
    AddDomain(system, pool, symbol, /*has_zero_one=*/false);
  }
  for (const size_t guard : group.guards) system.AddConstraint(entry.guards[guard].predicate);
}

/// The guards of `outer` that do not follow directly from those of `inner`; absent: one of them
/// contradicts a constant of `inner`.
std::optional<std::vector<ExprId>> OpenGuards(const GuardedEntry& inner,
                                              const GuardedEntry& outer) {
  std::set<ExprId> known;
  for (const EntryGuard& guard : inner.guards) known.insert(guard.predicate);
  std::vector<ExprId> open;
  for (const EntryGuard& guard : outer.guards) {
    if (!known.contains(guard.predicate)) open.push_back(guard.predicate);
  }
  for (const auto& [symbol, constant] : outer.constants) {
    const auto found = inner.constants.find(symbol);
    if (found != inner.constants.end() && found->second.value != constant.value) {
      return std::nullopt;
    }
  }
  return open;
}

/// Whether one of `outers` accepts every call that `inner` accepts; does not distinguish kFalse
/// from kUnknown.
bool IsCovered(const GuardedEntry& inner, const GuardGroups& groups,
               const std::vector<const GuardedEntry*>& outers, ExprPool& pool, uint64_t steps) {
  std::vector<ExprId> refusals;  // one for each of `outers`: it rejects the call
  std::set<ExprId> symbols;
  for (const GuardedEntry* outer : outers) {
    const auto open = OpenGuards(inner, *outer);
    if (!open) continue;
    if (open->empty()) return true;
    std::vector<ExprId> negations;
    for (const ExprId predicate : *open) {
      negations.push_back(pool.Not(predicate));
      AddSymbols(pool, predicate, symbols);
    }
    refusals.push_back(negations.size() == 1 ? negations[0] : pool.Fold(ExprKind::kOr, negations));
  }
  if (refusals.empty()) return false;
  ConstraintSystem system(pool, steps);
  AddEntry(inner, groups, symbols, pool, system);
  return system.IsSatisfiable(refusals) == Truth::kFalse;
}

bool IsContradictory(const GuardedEntry& entry, const GuardGroups& groups, ExprPool& pool,
                     uint64_t steps) {
  std::set<ExprId> symbols;
  for (const EntryGuard& guard : entry.guards) {
    const std::vector<ExprId> mentioned = pool.SymbolsOf(guard.predicate);
    if (mentioned.size() > 1) symbols.insert(mentioned.begin(), mentioned.end());
    for (const ExprId symbol : mentioned) {
      if (!entry.constants.contains(symbol)) symbols.insert(symbol);
    }
  }
  if (symbols.empty()) return false;
  ConstraintSystem system(pool, steps);
  AddEntry(entry, groups, symbols, pool, system);
  return system.IsSatisfiable() == Truth::kFalse;
}

/// Whether a call is known to exist that satisfies both.
bool Overlap(const GuardedEntry& a, const GuardGroups& groups, const GuardedEntry& b,
             ExprPool& pool, uint64_t steps) {
  for (const auto& [tensor, properties] : a.properties) {
    const auto found = b.properties.find(tensor);
    if (found == b.properties.end() || found->second != properties) return false;
  }
  if (a.properties.size() != b.properties.size() || a.others != b.others) return false;
  const auto open = OpenGuards(a, b);
  if (!open) return false;
  std::set<ExprId> symbols;
  for (const EntryGuard& guard : a.guards) {
    const bool has_open = std::ranges::any_of(pool.SymbolsOf(guard.predicate), [&](ExprId symbol) {
      return !a.constants.contains(symbol);
    });
    if (has_open) AddSymbols(pool, guard.predicate, symbols);
  }
  for (const ExprId predicate : *open) AddSymbols(pool, predicate, symbols);
  ConstraintSystem system(pool, steps);
  AddEntry(a, groups, symbols, pool, system);
  return system.IsSatisfiable(*open) == Truth::kTrue;
}

/// The best of several greedy choices: an upper bound.
size_t GreedyCover(size_t num_sets, const std::vector<std::vector<size_t>>& members) {
  std::vector<bool> is_covered(members.size(), false);
  size_t chosen = 0;
  while (true) {
    std::vector<size_t> gains(num_sets, 0);
    for (size_t element = 0; element < members.size(); ++element) {
      if (is_covered[element]) continue;
      for (const size_t set : members[element]) ++gains[set];
    }
    const auto best = std::ranges::max_element(gains);
    if (best == gains.end() || *best == 0) return chosen;
    ++chosen;
    const auto set = static_cast<size_t>(best - gains.begin());
    for (size_t element = 0; element < members.size(); ++element) {
      if (std::ranges::find(members[element], set) != members[element].end()) {
        is_covered[element] = true;
      }
    }
  }
}

/// Branches over the element with the fewest sets. `best`: the smallest cover found so far.
void Cover(const std::vector<std::vector<size_t>>& members, std::vector<uint32_t>& times_covered,
           size_t chosen, size_t& best, uint64_t& steps) {
  if (chosen >= best || steps == 0) return;
  --steps;
  size_t branch = members.size();
  for (size_t element = 0; element < members.size(); ++element) {
    if (times_covered[element] > 0) continue;
    if (branch == members.size() || members[element].size() < members[branch].size()) {
      branch = element;
    }
  }
  if (branch == members.size()) {
    best = chosen;
    return;
  }
  for (const size_t set : members[branch]) {
    for (size_t element = 0; element < members.size(); ++element) {
      if (std::ranges::binary_search(members[element], set)) ++times_covered[element];
    }
    Cover(members, times_covered, chosen + 1, best, steps);
    for (size_t element = 0; element < members.size(); ++element) {
      if (std::ranges::binary_search(members[element], set)) --times_covered[element];
    }
  }
}

std::string CallText(const SizedCall& call, const ExprPool& pool) {
  std::string text;
  for (const auto& [symbol, value] : call) {
    if (!text.empty()) text += ", ";
    text += std::string(pool.name(symbol)) + " = " + std::to_string(value);
  }
  return text;
}

}  // namespace

size_t FewestSets(size_t num_sets, const std::vector<std::vector<size_t>>& members,
                  bool& is_exact) {
  // Elements with the same sets are merged; elements in no set cannot be covered.
  std::vector<std::vector<size_t>> distinct;
  for (const std::vector<size_t>& sets : members) {
    if (!sets.empty()) distinct.push_back(sets);
  }
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  size_t best = GreedyCover(num_sets, distinct) + 1;
  uint64_t steps = 20'000;
  std::vector<uint32_t> times_covered(distinct.size(), 0);
  Cover(distinct, times_covered, 0, best, steps);
  is_exact = steps > 0;
  return std::min(best, GreedyCover(num_sets, distinct));
}

void CompareEntries(const GuardedFunction& function, ExprPool& pool, uint64_t steps,
                    std::vector<GuardedEntryReport>& reports) {
  const std::vector<GuardedEntry>& entries = function.entries;
  if (entries.size() > kMaxCompared) return;
  std::vector<GuardGroups> groups;
  groups.reserve(entries.size());
  for (const GuardedEntry& entry : entries) groups.emplace_back(entry.guards, pool);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].IsWhole()) continue;
    reports[i].is_contradictory = IsContradictory(entries[i], groups[i], pool, steps);
    if (reports[i].is_contradictory) continue;
    std::vector<size_t> newer;
    std::vector<const GuardedEntry*> outers;
    for (size_t j = i + 1; j < entries.size(); ++j) {
      if (!entries[j].IsWhole() || !OthersAreImplied(entries[i], entries[j])) continue;
      newer.push_back(j);
      outers.push_back(&entries[j]);
    }
    std::vector<size_t> shadows;
    for (size_t k = 0; k < newer.size() && shadows.empty(); ++k) {
      if (IsCovered(entries[i], groups[i], {outers[k]}, pool, steps)) shadows = {newer[k]};
    }
    if (shadows.empty() && outers.size() > 1 &&
        IsCovered(entries[i], groups[i], outers, pool, steps)) {
      shadows = newer;
    }
    reports[i].is_shadow_certain = std::ranges::all_of(shadows, [&](size_t j) {
      return function.asked.contains({entries[j].number, entries[i].number});
    });
    reports[i].shadowed_by = std::move(shadows);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].IsWhole() || !reports[i].shadowed_by.empty()) continue;
    for (size_t j = i + 1; j < entries.size(); ++j) {
      if (!entries[j].IsWhole() || !reports[j].shadowed_by.empty()) continue;
      if (Overlap(entries[i], groups[i], entries[j], pool, steps)) reports[i].overlaps.push_back(j);
    }
  }
}

GraphNeed FindNeed(const GuardedFunction& function, const std::vector<SizedCall>& calls,
                   ExprPool& pool, uint64_t steps) {
  constexpr size_t kMaxExamples = 8;
  GraphNeed need;
  need.calls = calls.size();
  need.entries = function.entries.size();
  std::vector<CallJudge> judges;
  judges.reserve(function.entries.size());
  for (const GuardedEntry& entry : function.entries) judges.emplace_back(entry, pool, steps);
  std::vector<std::vector<size_t>> takers(calls.size());
  for (size_t call = 0; call < calls.size(); ++call) {
    bool is_undecided = false;
    for (size_t entry = 0; entry < judges.size(); ++entry) {
      const Truth takes = judges[entry].Takes(calls[call]);
      if (takes == Truth::kTrue) takers[call].push_back(entry);
      is_undecided = is_undecided || takes == Truth::kUnknown;
    }
    if (!takers[call].empty()) {
      ++need.served;
    } else if (is_undecided) {
      ++need.undecided;
    } else {
      ++need.uncovered;
      if (need.examples.size() < kMaxExamples) need.examples.push_back(CallText(calls[call], pool));
    }
  }
  need.least = FewestSets(function.entries.size(), takers, need.is_least_exact);
  need.limit_at_least = need.entries + (need.uncovered > 0 ? 1 : 0);
  if (need.undecided == 0) need.limit_at_most = need.entries + need.uncovered;
  return need;
}

}  // namespace shapewise
