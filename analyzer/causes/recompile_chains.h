// Recompiles and limits folded into chains: one function, one culprit.

#ifndef SHAPEWISE_CAUSES_RECOMPILE_CHAINS_H_
#define SHAPEWISE_CAUSES_RECOMPILE_CHAINS_H_

#include <cstddef>
#include <vector>

#include "causes/compile_ledger.h"
#include "history/code_object_history.h"
#include "shapewise/causes/cause.h"

namespace shapewise {

/// One cause for each culprit of each function that was recompiled, in no particular order. `order`
/// names all events, process by process and in each as they came.
///
/// The culprit of a recompile is what the newest cache entry failed on. There is a second one when
/// that value had come before: its own entry would have fitted, had it not failed on something
/// else. The event then counts for both; what it cost, for the first alone.
std::vector<Cause> FoldRecompiles(const Session& session, const std::vector<size_t>& order,
                                  const std::vector<CodeObjectHistory>& histories,
                                  const CompileLedger& ledger);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_RECOMPILE_CHAINS_H_
