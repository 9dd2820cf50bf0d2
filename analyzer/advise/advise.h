// Ranks actions for a run and estimates what they save; actions follow the order of the findings
// that they address. analyzer/docs/advise.md explains the method and the numbers.

#ifndef SHAPEWISE_ADVISE_ADVISE_H_
#define SHAPEWISE_ADVISE_ADVISE_H_

#include <memory>
#include <vector>

#include "advise/compiled_frame.h"
#include "dynamo/run_probes.h"
#include "llvm/ADT/ArrayRef.h"
#include "model/recorded_function.h"
#include "model/session.h"
#include "result/advice.h"
#include "result/finding.h"

namespace shapewise {

/// Rewords the actions of `findings` on sizes and ints, so that each names all that changed in its
/// function, one of `frames`: a mark on one of two sizes that change together does not help. Where
/// a mark names several tensors, dynamic=True comes before it, if both are proposed.
void NameAllSizes(llvm::ArrayRef<CompiledFrame> frames, std::vector<Finding>& findings);

/// Possible actions for `findings` of the sorted `session`, in the order of lint: the first action
/// for a finding is the one that lint gives, unless the simulator shows that it does not help.
/// Savings are simulated, never estimated; nothing was run. `frames`: the compiled frames of the
/// session. `recorded`: every call of functions of the run, as far as a recorder wrote them.
/// `probes`: traces of probes of the run, or null.
Advice Advise(std::vector<CompiledFrame> frames, const Session& session,
              const std::vector<Finding>& findings, const RunSummary& summary,
              const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {},
              const RunProbes* probes = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_ADVISE_H_
