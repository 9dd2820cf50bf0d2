// Advice on graph breaks in installed packages.

#ifndef SHAPEWISE_PIPELINE_LIBRARY_BREAK_ADVICE_H_
#define SHAPEWISE_PIPELINE_LIBRARY_BREAK_ADVICE_H_

#include <vector>

#include "pipeline/lint_passes.h"

namespace shapewise {

/// Users do not edit installed packages. If settings of PyTorch capture all that breaks in a
/// package, proposes them first, together; otherwise proposes to call it outside of the compiled
/// function, where the log shows the user's line that does, or, where that line is the call of the
/// compiled function, to compile modules inside of it. Leaves findings with a remedy of
/// libraries.json, and those whose first action is no edit.
void AdviseOnLibraryBreaks(std::vector<ReportedCause>& reported);

/// The wrapper of a library's decorator is a function of its own because of breaks. A remedy for
/// the code of the library removes them; otherwise the breaks are named, if the log shows them.
void AdviseOnWrappers(std::vector<ReportedCause>& reported);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LIBRARY_BREAK_ADVICE_H_
