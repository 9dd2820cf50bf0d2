// Recompiles and limits folded into chains: one function, one culprit.

#ifndef SHAPEWISE_CAUSES_RECOMPILE_CHAINS_H_
#define SHAPEWISE_CAUSES_RECOMPILE_CHAINS_H_

#include <cstddef>
#include <vector>

#include "causes/cause.h"
#include "causes/compile_ledger.h"
#include "history/code_object_history.h"

namespace shapewise {

/// One cause for each culprit of each function that was recompiled, in no particular order. `order`
/// lists all events, process by process, each in order of appearance.
///
/// The culprit of a recompile is the guard of the newest cache entry that failed. There is a second
/// one if that value had occurred before: the entry for that value would have matched if another
/// guard of it had not failed. The event then counts for both, its cost for the first only.
std::vector<Cause> FoldRecompiles(const Session& session, const std::vector<size_t>& order,
                                  const std::vector<CodeObjectHistory>& histories,
                                  const CompileLedger& ledger);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_RECOMPILE_CHAINS_H_
