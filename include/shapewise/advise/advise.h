// "What should I do, and what will it save": actions for a run, ranked by what they are predicted
// to save. How, and what the numbers mean: analyzer/docs/advise.md.

#ifndef SHAPEWISE_ADVISE_ADVISE_H_
#define SHAPEWISE_ADVISE_ADVISE_H_

#include <memory>
#include <vector>

#include "shapewise/causes/cause.h"
#include "shapewise/model/recorded_function.h"
#include "shapewise/model/session.h"
#include "shapewise/result/advice.h"
#include "shapewise/result/finding.h"
#include "shapewise/result/step_report.h"

namespace shapewise {

/// A cause with what its rule says of it.
struct ToldCause {
  Cause cause;
  Finding finding;
};

/// Ranks what could be done about `causes`, which came from the sorted `session`. Savings are
/// predictions: nothing was run, and Action::validated stays empty.
/// `recorded`: every call of functions of the run, as far as a recorder wrote them.
Advice Advise(const Session& session, const std::vector<ToldCause>& causes,
              const RunSummary& summary, const StepReport& steps,
              const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {});

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_ADVISE_H_
