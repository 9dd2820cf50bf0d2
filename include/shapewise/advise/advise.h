// "What should I do, and what will it save": actions for a run, in the order of the findings that
// they answer. How, and what the numbers mean: analyzer/docs/advise.md.

#ifndef SHAPEWISE_ADVISE_ADVISE_H_
#define SHAPEWISE_ADVISE_ADVISE_H_

#include <memory>
#include <vector>

#include "shapewise/model/recorded_function.h"
#include "shapewise/model/session.h"
#include "shapewise/result/advice.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// What could be done about `findings` of the sorted `session`, in their order, which is lint's:
/// the first action for a finding is the one that lint gives, unless the simulator shows that it
/// does not help. Savings are simulated, never estimated; nothing was run. `recorded`: every call
/// of functions of the run, as far as a recorder wrote them. `probes`: what probes of the run
/// traced; null: there are none.
Advice Advise(const Session& session, const std::vector<Finding>& findings,
              const RunSummary& summary,
              const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {},
              const Session* probes = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_ADVISE_H_
