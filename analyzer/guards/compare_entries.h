// Compares cache entries: which are never used again, which accept the same calls, and how many of
// them a set of calls needs.

#ifndef SHAPEWISE_GUARDS_COMPARE_ENTRIES_H_
#define SHAPEWISE_GUARDS_COMPARE_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "guards/guarded_entry.h"
#include "result/guard_report.h"
#include "symbolic/expression.h"

namespace shapewise {

/// A call, represented by its sizes.
using SizedCall = std::vector<std::pair<ExprId, int64_t>>;

/// Sets is_contradictory, shadowed_by, is_shadow_certain and overlaps of `reports`, which are
/// parallel to `function.entries`. Reports only what was proved.
///
/// The cache checks the newest entry first and moves the one that matches to the front. So an entry
/// whose calls are all accepted by newer ones is never reached again: to move in front of them it
/// would have to match a call that none of them matches.
void CompareEntries(const GuardedFunction& function, ExprPool& pool, uint64_t steps,
                    std::vector<GuardedEntryReport>& reports);

/// Which entries serve `calls`, and the smallest number that would.
GraphNeed FindNeed(const GuardedFunction& function, const std::vector<SizedCall>& calls,
                   ExprPool& pool, uint64_t steps);

/// The size of the smallest selection of `num_sets` sets that covers every element which any of
/// them contains: `members[e]` are the sets of element e, ascending. `is_exact`: false if there
/// were too many to be sure.
size_t FewestSets(size_t num_sets, const std::vector<std::vector<size_t>>& members, bool& is_exact);

/// The actions that match the verdict on `variable`, the best first; none if nothing is wrong.
std::vector<Action> AdviseOn(const GuardedVariable& variable);

/// The statement that marks the size before a call; empty if it is no argument of the caller.
std::string MarkDynamicCode(const GuardedVariable& size);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_COMPARE_ENTRIES_H_
