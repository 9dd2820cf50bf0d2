// Finds the incident that a slow step coincides with.

#ifndef SHAPEWISE_TIMELINE_EXPLAIN_STEPS_H_
#define SHAPEWISE_TIMELINE_EXPLAIN_STEPS_H_

#include <optional>
#include <vector>

#include "shapewise/result/step_report.h"
#include "timeline/incident.h"
#include "timeline/step_series.h"

namespace shapewise {

/// Matches `incidents` with the slow steps of `series`, and says by which comparison.
///
/// An incident explains a step if it covers at least half of the step's excess over the median, or,
/// if only its moment is known, if it falls within the step. Without a common clock, incidents of
/// the same log between the lines of two steps belong to the second one, because steps are printed
/// when they end.
StepTrack ExplainSteps(const StepSeries& series, const std::vector<Incident>& incidents,
                       std::optional<double> epoch_minus_local, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_EXPLAIN_STEPS_H_
