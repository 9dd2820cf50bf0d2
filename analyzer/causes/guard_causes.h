// Causes for the cost of guards at every call.

#ifndef SHAPEWISE_CAUSES_GUARD_CAUSES_H_
#define SHAPEWISE_CAUSES_GUARD_CAUSES_H_

#include <vector>

#include "causes/cause.h"

namespace shapewise {

/// One cause for each function whose calls spend a notable time on guards: 30 us as estimated, or
/// 300 us as measured by PyTorch. It is costly from 100 us, or 1000 us. `hint` names what
/// dominates: "python", "layers" or "many" guards, or "entries" of the cache.
///
/// The guards come from structured traces and text logs. If a text log does not name the function,
/// each frame of each process counts as one.
std::vector<Cause> FoldGuardCosts(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_GUARD_CAUSES_H_
