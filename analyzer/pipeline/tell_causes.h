// Each cause of a run with what its rule says of it, the same for every command.

#ifndef SHAPEWISE_PIPELINE_TELL_CAUSES_H_
#define SHAPEWISE_PIPELINE_TELL_CAUSES_H_

#include <vector>

#include "shapewise/causes/cause.h"
#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// A cause with what its rule says of it.
struct ToldCause {
  Cause cause;
  Finding finding;
};

/// `causes` of `session` with their findings. A cause of a kind that no rule speaks of is left out,
/// and so is advice for releases of PyTorch that did not write the log.
std::vector<ToldCause> TellCauses(const Session& session, std::vector<Cause> causes);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_TELL_CAUSES_H_
