// Slow steps that come at regular distances, and who else ran then.

#ifndef SHAPEWISE_TIMELINE_FIND_STALL_H_
#define SHAPEWISE_TIMELINE_FIND_STALL_H_

#include <optional>

#include "shapewise/result/step_report.h"
#include "timeline/step_series.h"

namespace shapewise {

/// The stall among the slow steps of `track` that nothing explains; absent when they are few or not
/// regular. Slow steps in a row are one stall.
std::optional<Stall> FindStall(const StepSeries& series, const StepTrack& track);

/// Fills in who ran while the steps of `stall` were slow: the function of another process that was
/// there in most stalls and in few other steps, known functions of the kernel first. Nothing when
/// no profile with such processes has the clock of the steps, or chance would do.
void FindCompany(const StepSeries& series, const StepTrack& track,
                 std::optional<double> epoch_minus_local, const Session& session, Stall& stall);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_FIND_STALL_H_
