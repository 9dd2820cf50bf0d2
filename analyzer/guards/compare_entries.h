// Cache entries beside each other: which are never used again, which take the same calls, and how
// many of them a set of calls needs.

#ifndef SHAPEWISE_GUARDS_COMPARE_ENTRIES_H_
#define SHAPEWISE_GUARDS_COMPARE_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "guards/guarded_entry.h"
#include "shapewise/result/guard_report.h"
#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// A call, told by its sizes.
using SizedCall = std::vector<std::pair<ExprId, int64_t>>;

/// Fills in is_contradictory, shadowed_by, is_shadow_certain and overlaps of `reports`, which stand
/// beside `function.entries`. Only what was proved is told.
///
/// The cache asks the newest entry first and moves the one that fits to the front. So an entry
/// whose calls are all taken by newer ones is never asked again: to get in front of them it would
/// have to fit a call that none of them does.
void CompareEntries(const GuardedFunction& function, ExprPool& pool, uint64_t steps,
                    std::vector<GuardedEntryReport>& reports);

/// Which entries serve `calls`, and how few would.
GraphNeed FindNeed(const GuardedFunction& function, const std::vector<SizedCall>& calls,
                   ExprPool& pool, uint64_t steps);

/// The fewest of `num_sets` sets that cover every element which any of them has: `members[e]` are
/// the sets of element e, ascending. `is_exact`: false if there were too many to be sure.
size_t FewestSets(size_t num_sets, const std::vector<std::vector<size_t>>& members, bool& is_exact);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_COMPARE_ENTRIES_H_
