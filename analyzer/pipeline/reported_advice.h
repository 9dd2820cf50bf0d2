// Parts of the passes that change the advice of a finding because of other findings.

#ifndef SHAPEWISE_PIPELINE_REPORTED_ADVICE_H_
#define SHAPEWISE_PIPELINE_REPORTED_ADVICE_H_

#include <string>
#include <string_view>

#include "causes/cause.h"
#include "pipeline/lint_passes.h"
#include "result/finding.h"

namespace shapewise {

/// Settings with which Dynamo takes operators into the graph that otherwise break it.
constexpr std::string_view kCaptureScalars = "torch._dynamo.config.capture_scalar_outputs = True";
constexpr std::string_view kCaptureShapes =
    "torch._dynamo.config.capture_dynamic_output_shape_ops = True";

/// The line of the compiled function that leads to the break; empty: not known.
std::string CallerInside(const Cause& cause);

/// Whether the cause is that the rest of a function after a break is a function of its own.
bool FollowsFromBreak(const ReportedCause& one);

/// An action by hand for all releases.
Action NewAction(std::string_view kind, std::string text);

/// Puts `action` before the other advice of `finding`, with the evidence of that.
void PutBefore(Finding& finding, Action action);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPORTED_ADVICE_H_
