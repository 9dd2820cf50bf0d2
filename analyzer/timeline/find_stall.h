// Finds periodic slow steps, and what else ran during them.

#ifndef SHAPEWISE_TIMELINE_FIND_STALL_H_
#define SHAPEWISE_TIMELINE_FIND_STALL_H_

#include <optional>

#include "result/step_report.h"
#include "timeline/step_series.h"

namespace shapewise {

/// The stall among the unexplained slow steps of `track`; absent: too few, or not periodic.
/// Consecutive slow steps are one stall.
std::optional<Stall> FindStall(const StepSeries& series, const StepTrack& track);

/// Fills in what ran during the slow steps of `stall`: the function of another process that ran in
/// most stalls and few other steps, preferring known kernel functions. Nothing if no profile with
/// such processes shares the clock of the steps, or if chance explains it.
void FindCompany(const StepSeries& series, const StepTrack& track,
                 std::optional<double> epoch_minus_local, const Session& session, Stall& stall);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_FIND_STALL_H_
