// Advice on graph breaks that depends on other breaks.

#ifndef SHAPEWISE_PIPELINE_BREAK_ADVICE_H_
#define SHAPEWISE_PIPELINE_BREAK_ADVICE_H_

#include <vector>

#include "pipeline/lint_passes.h"

namespace shapewise {

/// Drops capture_scalar_outputs, which is a setting of the process, if one of the breaks would
/// become an error with it.
///
/// Users do not edit installed packages. If settings of PyTorch capture all that breaks in a
/// package, proposes them first, together; otherwise proposes to call it outside of the compiled
/// function, where the log shows the user's line that does, or, where that line is the call of the
/// compiled function, to compile modules inside of it. Leaves findings with a remedy of
/// libraries.json, and those whose first action is no edit.
///
/// One first action serves what one change mends: all random draws, a line that breaks and whose
/// rest is compiled again and again, the part before a backward pass or before a number that Python
/// code goes on with, a function that fails with the message of a break, what
/// follows from a break whose advice is known, and wrappers of a package's decorators.
void AdviseOnBreaks(std::vector<ReportedCause>& reported);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_BREAK_ADVICE_H_
