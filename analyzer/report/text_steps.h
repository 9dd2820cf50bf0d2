// The steps of a run in a few lines.

#ifndef SHAPEWISE_REPORT_TEXT_STEPS_H_
#define SHAPEWISE_REPORT_TEXT_STEPS_H_

#include <string>

#include "report/printed_text.h"
#include "shapewise/model/session.h"
#include "shapewise/result/step_report.h"

namespace shapewise {

/// How long a step took: "112.0 ms" where SecondsText would leave one digit.
std::string StepText(double seconds);

/// "120 steps in profile.json: 11.2 ms each; 3 slow (20.0 ms or more) cost ..."
std::string StepTrackText(const StepTrack& track, const Session& session);

/// Prints how long steps took, how many were slow, and beside what; nothing when there are no
/// steps. Without `all`, only the first few tracks.
void PrintSteps(const StepReport& report, const Session& session, bool all, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_STEPS_H_
