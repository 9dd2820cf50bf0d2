// Which functions have how many guards of which kind, and what they take at every call.

#ifndef SHAPEWISE_GUARDS_FIND_GUARD_HEAT_H_
#define SHAPEWISE_GUARDS_FIND_GUARD_HEAT_H_

#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/result/guard_heat.h"

namespace shapewise {

/// One row a function whose guard trees are in `session`, dearest first, then by place. Where a
/// trace and a log tell of one function, the trace counts. Empty: no guard tree was read.
std::vector<GuardHeat> FindGuardHeat(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_FIND_GUARD_HEAT_H_
