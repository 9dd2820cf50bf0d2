// Lint, with what it read on the way.

#ifndef SHAPEWISE_PIPELINE_LINT_FRAMES_H_
#define SHAPEWISE_PIPELINE_LINT_FRAMES_H_

#include <vector>

#include "advise/compiled_frame.h"
#include "pipeline/lint.h"

namespace shapewise {

/// Lint(), which also sets `frames` to the compiled frames of the run.
Expected<LintResult> LintWithFrames(const LintOptions& options, FileSource& files, Session& session,
                                    std::vector<CompiledFrame>& frames);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LINT_FRAMES_H_
