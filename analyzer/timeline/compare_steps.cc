// The passes from spans to a report of steps.

#include <optional>
#include <vector>

#include "shapewise/timeline/timeline.h"
#include "timeline/clock_alignment.h"
#include "timeline/explain_steps.h"
#include "timeline/find_stall.h"
#include "timeline/incident.h"
#include "timeline/step_series.h"

namespace shapewise {

StepReport CompareSteps(const Session& session) {
  StepReport report;
  // Align the clocks of the inputs where two of them are known for the same event.
  report.epoch_minus_local = FindEpochMinusLocal(session);

  const std::vector<StepSeries> all_series = FindStepSeries(session);
  if (all_series.empty()) return report;
  const std::vector<Incident> incidents = FindIncidents(session);
  for (const StepSeries& series : all_series) {
    // Match slow steps with what may have caused them.
    StepTrack track = ExplainSteps(series, incidents, report.epoch_minus_local, session);

    // Look for a period in the rest, and for what else ran then.
    track.stall = FindStall(series, track);
    if (track.stall) {
      FindCompany(series, track, report.epoch_minus_local, session, *track.stall);
    }
    report.tracks.push_back(std::move(track));
  }
  return report;
}

}  // namespace shapewise
