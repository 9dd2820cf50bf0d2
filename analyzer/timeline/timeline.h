// Matches steps with compilations: which steps were slow, and what each coincides with.

#ifndef SHAPEWISE_TIMELINE_TIMELINE_H_
#define SHAPEWISE_TIMELINE_TIMELINE_H_

#include <vector>

#include "causes/cause.h"
#include "model/session.h"
#include "result/step_report.h"

namespace shapewise {

/// Analyzes every step of a sorted session. A pure function of it; analyzer/docs/steps.md defines
/// slow steps, coincidence and periods.
StepReport CompareSteps(const Session& session);

/// The reportable parts of `report` as causes of the kinds kSlowSteps and kStall; facts are those
/// of CauseFactNames. Ordered by track, then as in SlowCause, then the stall.
std::vector<Cause> StepCauses(const StepReport& report, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_TIMELINE_H_
