// Loads a run from logs or a saved result.

#ifndef SHAPEWISE_PIPELINE_LOAD_RUN_H_
#define SHAPEWISE_PIPELINE_LOAD_RUN_H_

#include <memory>

#include "model/session.h"
#include "pipeline/lint.h"
#include "result/finding.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// A run with its lint result.
struct LoadedRun {
  LintResult result;
  Session session;           ///< the session; has no events if the result was saved
  bool is_saved = false;     ///< `result` was read from a file
  bool is_baseline = false;  ///< a saved result with causes only
};

/// Reads `options.paths`: logs as for Lint, or one saved result (ReadSavedResult), detected by its
/// first bytes, so that a pipe works, too. Selectors apply to both.
///
/// Errors: those of Lint and ReadSavedResult; a path that cannot be read to its end; a saved result
/// together with other paths. An unrecognized input is not an error.
Expected<std::unique_ptr<LoadedRun>> LoadRun(const LintOptions& options, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LOAD_RUN_H_
