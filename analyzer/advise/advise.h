// Ranks actions for a run and estimates what they save; actions follow the order of the findings
// that they address. analyzer/docs/advise.md explains the method and the numbers.

#ifndef SHAPEWISE_ADVISE_ADVISE_H_
#define SHAPEWISE_ADVISE_ADVISE_H_

#include <memory>
#include <vector>

#include "dynamo/run_probes.h"
#include "model/recorded_function.h"
#include "model/session.h"
#include "result/advice.h"
#include "result/finding.h"

namespace shapewise {

/// Possible actions for `findings` of the sorted `session`, in the order of lint: the first action
/// for a finding is the one that lint gives, unless the simulator shows that it does not help.
/// Savings are simulated, never estimated; nothing was run. `recorded`: every call of functions of
/// the run, as far as a recorder wrote them. `probes`: traces of probes of the run, or null.
Advice Advise(const Session& session, const std::vector<Finding>& findings,
              const RunSummary& summary,
              const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {},
              const RunProbes* probes = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_ADVISE_H_
