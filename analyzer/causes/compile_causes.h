// Causes without an event, visible only in the compilations of a structured trace.

#ifndef SHAPEWISE_CAUSES_COMPILE_CAUSES_H_
#define SHAPEWISE_CAUSES_COMPILE_CAUSES_H_

#include <vector>

#include "causes/cause.h"
#include "causes/compile_ledger.h"

namespace shapewise {

/// One cause for each function whose first compile found nothing to compile. Frames that break, and
/// the rest of a function after a break, are excluded: there the break is the cause.
std::vector<Cause> FoldEmptyGraphs(const Session& session, const CompileLedger& ledger);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_COMPILE_CAUSES_H_
