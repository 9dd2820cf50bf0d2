// Counts the guards of each function by kind and estimates their cost per call.

#ifndef SHAPEWISE_GUARDS_FIND_GUARD_HEAT_H_
#define SHAPEWISE_GUARDS_FIND_GUARD_HEAT_H_

#include <vector>

#include "model/session.h"
#include "result/guard_heat.h"

namespace shapewise {

/// One row per function with guard trees in `session`, most expensive first, then by place. If a
/// trace and a log cover the same function, the trace is used. Empty: no guard tree was read.
std::vector<GuardHeat> FindGuardHeat(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_FIND_GUARD_HEAT_H_
