// The steps of a run in a few lines.

#ifndef SHAPEWISE_REPORT_TEXT_STEPS_H_
#define SHAPEWISE_REPORT_TEXT_STEPS_H_

#include <string>

#include "report/document.h"
#include "shapewise/model/session.h"
#include "shapewise/result/step_report.h"

namespace shapewise {

/// The duration of a step: "112.0 ms" where SecondsText would print one digit.
std::string StepText(double seconds);

/// Adds step durations, the number of slow steps, and what they coincide with; nothing without
/// steps. Without --all, only the first few tracks.
void AddSteps(const StepReport& report, const Session& session, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_STEPS_H_
