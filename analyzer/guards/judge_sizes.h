// What the guards of one entry leave of one size, and which of them do.

#ifndef SHAPEWISE_GUARDS_JUDGE_SIZES_H_
#define SHAPEWISE_GUARDS_JUDGE_SIZES_H_

#include <cstdint>
#include <vector>

#include "guards/guard_groups.h"
#include "guards/guarded_entry.h"
#include "shapewise/result/guard_report.h"
#include "shapewise/symbolic/constraint_system.h"
#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// The guards of one entry by group.
struct EntryGroups {
  EntryGroups(const GuardedEntry& entry, const ExprPool& pool);

  /// How many guards a question about `symbol` reads.
  size_t CountGuards(ExprId symbol) const;

  GuardGroups guards;  ///< of GuardedEntry::guards
  GuardGroups added;   ///< of GuardedEntry::added
};

/// Judges `symbol`, which `entry` speaks of, in at most `steps` steps of search an answer.
EntryVerdict JudgeSize(const GuardedEntry& entry, ExprId symbol, ExprPool& pool, uint64_t steps);

/// The same with the groups of `entry`, for callers that judge many symbols of it.
EntryVerdict JudgeSize(const GuardedEntry& entry, const EntryGroups& groups, ExprId symbol,
                       ExprPool& pool, uint64_t steps);

/// Adds to `system` every symbol of its constraints with the values that it can have at all.
/// `has_zero_one`: sizes begin at 2 instead of 0.
void AddDomain(ConstraintSystem& system, const ExprPool& pool, ExprId symbol, bool has_zero_one);

/// Tells of calls whether an entry takes them; what it asks of the guards is asked once.
class CallJudge {
 public:
  /// `steps`: of search, an answer. The judge refers to `entry` and `pool`.
  CallJudge(const GuardedEntry& entry, ExprPool& pool, uint64_t steps);

  /// Whether the entry takes a call with the sizes `values`; those that are not told may be
  /// anything.
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
