// Judges which values the guards of one entry allow for one size, and which guards decide: only
// those connected with it are read.

#ifndef SHAPEWISE_GUARDS_JUDGE_SIZES_H_
#define SHAPEWISE_GUARDS_JUDGE_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "guards/guarded_entry.h"
#include "result/guard_report.h"
#include "symbolic/constraint_system.h"
#include "symbolic/expression.h"

namespace shapewise {

/// Guards that name the same symbols, directly or through other guards.
struct GuardGroup {
  std::vector<size_t> guards;  ///< indices, ascending
  std::set<ExprId> symbols;
};

/// Splits guards into groups once, so that a query about one symbol reads only its group.
class GuardGroups {
 public:
  GuardGroups(const std::vector<EntryGuard>& guards, const ExprPool& pool);

  /// The group of `symbol`; null: no guard names it.
  const GuardGroup* Find(ExprId symbol) const;

  /// The groups of all `symbols`, merged; contains `symbols` themselves.
  GuardGroup Join(const std::set<ExprId>& symbols) const;

 private:
  std::vector<GuardGroup> groups_;
  std::map<ExprId, size_t> group_of_symbol_;
};

/// The guards of one entry by group.
struct EntryGroups {
  EntryGroups(const GuardedEntry& entry, const ExprPool& pool)
      : guards(entry.guards, pool), added(entry.added, pool) {}

  /// How many guards a query about `symbol` reads.
  size_t CountGuards(ExprId symbol) const;

  GuardGroups guards;  ///< of GuardedEntry::guards
  GuardGroups added;   ///< of GuardedEntry::added
};

/// Judges `symbol`, which `entry` mentions, with at most `steps` search steps per query. `groups`:
/// of `entry`.
EntryVerdict JudgeSize(const GuardedEntry& entry, const EntryGroups& groups, ExprId symbol,
                       ExprPool& pool, uint64_t steps);

/// Adds to `system` every symbol of its constraints with its domain. `has_zero_one`: sizes begin at
/// 2 instead of 0.
void AddDomain(ConstraintSystem& system, const ExprPool& pool, ExprId symbol, bool has_zero_one);

/// Decides whether an entry accepts calls; queries about its guards are cached.
class CallJudge {
 public:
  /// `steps`: search steps per query. The judge refers to `entry` and `pool`.
  CallJudge(const GuardedEntry& entry, ExprPool& pool, uint64_t steps);

  /// Whether the entry accepts a call with the sizes `values`; sizes that are not given may have
  /// any value.
  Truth Takes(const std::vector<std::pair<ExprId, int64_t>>& values) const;

 private:
  /// A guard on sizes, ints or lengths.
  struct SizeGuard {
    ExprId predicate;
    std::vector<ExprId> symbols;
  };

  const GuardedEntry& entry_;
  ExprPool& pool_;
  uint64_t steps_;
  std::vector<SizeGuard> guards_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_JUDGE_SIZES_H_
