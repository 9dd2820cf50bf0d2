// The steps of a run in a few lines.

#ifndef SHAPEWISE_REPORT_TEXT_STEPS_H_
#define SHAPEWISE_REPORT_TEXT_STEPS_H_

#include "report/printed_text.h"
#include "shapewise/model/session.h"
#include "shapewise/result/step_report.h"

namespace shapewise {

/// Prints how long steps took, how many were slow, and beside what; nothing when there are no
/// steps. Without `all`, only the first few tracks.
void PrintSteps(const StepReport& report, const Session& session, bool all, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_STEPS_H_
