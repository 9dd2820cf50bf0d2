// A run, in whatever form the user has it.

#ifndef SHAPEWISE_PIPELINE_LOAD_RUN_H_
#define SHAPEWISE_PIPELINE_LOAD_RUN_H_

#include <memory>

#include "shapewise/model/session.h"
#include "shapewise/pipeline/lint.h"
#include "shapewise/result/finding.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// A run as lint tells it.
struct LoadedRun {
  LintResult result;
  Session session;           ///< what was read; without events if the result was saved
  bool is_saved = false;     ///< `result` was read back, not made
  bool is_baseline = false;  ///< a saved one that has causes only
};

/// Reads `options.paths`: logs as Lint reads them, or one saved result (ReadSavedResult), which is
/// told by its first bytes, so that a pipe will do. Selectors hold for both.
///
/// Errors: those of Lint and ReadSavedResult; a path that cannot be read to its end; a saved result
/// beside anything else. An input in which nothing is recognised is none.
Expected<std::unique_ptr<LoadedRun>> LoadRun(const LintOptions& options, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LOAD_RUN_H_
