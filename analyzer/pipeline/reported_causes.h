// Pairs each cause of a run with its finding, for every command.

#ifndef SHAPEWISE_PIPELINE_REPORTED_CAUSES_H_
#define SHAPEWISE_PIPELINE_REPORTED_CAUSES_H_

#include <vector>

#include "shapewise/causes/cause.h"
#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// A cause with its finding.
struct ReportedCause {
  Cause cause;
  Finding finding;
};

/// Creates the findings for `causes` of `session`. Causes without a rule are dropped, and so is
/// advice for PyTorch releases that cannot have written the log.
std::vector<ReportedCause> ReportCauses(const Session& session, std::vector<Cause> causes);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPORTED_CAUSES_H_
