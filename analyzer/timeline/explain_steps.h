// Which incident a slow step coincides with.

#ifndef SHAPEWISE_TIMELINE_EXPLAIN_STEPS_H_
#define SHAPEWISE_TIMELINE_EXPLAIN_STEPS_H_

#include <optional>
#include <vector>

#include "shapewise/result/step_report.h"
#include "timeline/incident.h"
#include "timeline/step_series.h"

namespace shapewise {

/// Lays `incidents` beside the slow steps of `series`, and says how that was possible.
///
/// An incident explains a step when it covers at least half of what the step took beyond the
/// median; one of which only the moment is known, when it falls into the step. Without a common
/// clock, the incidents of the same log that stand between the lines of two steps belong to the
/// second: steps are printed when they are over.
StepTrack ExplainSteps(const StepSeries& series, const std::vector<Incident>& incidents,
                       std::optional<double> epoch_minus_local, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_EXPLAIN_STEPS_H_
