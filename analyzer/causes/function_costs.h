// The compile time of each function.

#ifndef SHAPEWISE_CAUSES_FUNCTION_COSTS_H_
#define SHAPEWISE_CAUSES_FUNCTION_COSTS_H_

#include <vector>

#include "causes/compile_ledger.h"
#include "model/session.h"
#include "result/cost.h"

namespace shapewise {

/// One row per compiled function, over all processes: most seconds first, then by place. Resume
/// functions are separate. Empty if no structured trace was read.
std::vector<FunctionCost> SumFunctionCosts(const Session& session, const CompileLedger& ledger);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_FUNCTION_COSTS_H_
