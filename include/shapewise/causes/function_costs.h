// What each compiled function took.

#ifndef SHAPEWISE_CAUSES_FUNCTION_COSTS_H_
#define SHAPEWISE_CAUSES_FUNCTION_COSTS_H_

#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/result/cost.h"

namespace shapewise {

/// One row a compiled function, over all processes; most seconds first, then by place. Resume
/// functions are functions of their own. Empty where no structured trace was read.
std::vector<FunctionCost> SumFunctionCosts(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_FUNCTION_COSTS_H_
