// Advice on graph breaks in libraries, which depends on all of them.

#ifndef SHAPEWISE_PIPELINE_LIBRARY_BREAKS_H_
#define SHAPEWISE_PIPELINE_LIBRARY_BREAKS_H_

#include <vector>

#include "pipeline/lint_passes.h"

namespace shapewise {

/// Users do not edit installed packages. If settings of PyTorch capture all that breaks in a
/// package, proposes them first, together; otherwise proposes to call it outside of the compiled
/// function, where the log shows the user's line that does. Leaves findings with a remedy of
/// libraries.json, and those whose first action is no edit.
void AdviseOnLibraries(std::vector<ReportedCause>& reported);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LIBRARY_BREAKS_H_
