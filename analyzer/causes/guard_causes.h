// What guards cost at every call, as causes.

#ifndef SHAPEWISE_CAUSES_GUARD_CAUSES_H_
#define SHAPEWISE_CAUSES_GUARD_CAUSES_H_

#include <vector>

#include "shapewise/causes/cause.h"

namespace shapewise {

/// One cause for each function whose calls spend time on guards that is worth a word: 30 us as
/// estimated, or 300 us as PyTorch measured it. It is costly from 100 us, or 1000 us. `hint` names
/// what stands out: "python", "layers" or "many" guards, or "entries" of the cache.
///
/// The guards are those of structured traces and those that text logs print. Where a text log does
/// not name the function, each frame of each process is one.
std::vector<Cause> FoldGuardCosts(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_GUARD_CAUSES_H_
