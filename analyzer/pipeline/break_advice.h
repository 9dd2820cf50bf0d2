// Advice on graph breaks that depends on other breaks.

#ifndef SHAPEWISE_PIPELINE_BREAK_ADVICE_H_
#define SHAPEWISE_PIPELINE_BREAK_ADVICE_H_

#include <vector>

#include "pipeline/lint_passes.h"

namespace shapewise {

/// Drops capture_scalar_outputs, which is a setting of the process, if one of the breaks would
/// become an error with it.
/// Advises on breaks in installed packages (library_break_advice.h).
///
/// One first action serves what one change mends: all random draws, a line that breaks and whose
/// rest is compiled again and again, the part before a backward pass or before a number that Python
/// code goes on with, a function that fails with the message of a break, and what follows from a
/// break whose advice is known.
void AdviseOnBreaks(std::vector<ReportedCause>& reported);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_BREAK_ADVICE_H_
