// The passes that lead from spans to a report of steps.

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
  // Bring the clocks of the inputs together, as far as something is known by two of them.
  report.epoch_minus_local = FindEpochMinusLocal(session);

  const std::vector<StepSeries> all_series = FindStepSeries(session);
  if (all_series.empty()) return report;
  const std::vector<Incident> incidents = FindIncidents(session);
  for (const StepSeries& series : all_series) {
    // Lay what may make a step slow beside the slow steps.
    StepTrack track = ExplainSteps(series, incidents, report.epoch_minus_local, session);

    // Look for a period in those that are left, and for who else ran then.
    track.stall = FindStall(series, track);
    if (track.stall) {
      FindCompany(series, track, report.epoch_minus_local, session, *track.stall);
    }
    report.tracks.push_back(std::move(track));
  }
  return report;
}

}  // namespace shapewise
