// What `shapewise diff` does between its two runs and its report.

#ifndef SHAPEWISE_PIPELINE_DIFF_H_
#define SHAPEWISE_PIPELINE_DIFF_H_

#include <memory>
#include <string>

#include "shapewise/compare/compare_runs.h"
#include "shapewise/pipeline/lint.h"
#include "shapewise/pipeline/load_run.h"
#include "shapewise/result/diff.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What to compare, and how.
struct DiffOptions {
  std::string before;  ///< a path as LoadRun takes it
  std::string after;   ///< likewise
  LintOptions lint;    ///< how to read and tell each; its paths are not looked at
  CompareOptions compare;
};

/// The answer, and the runs whose findings it repeats.
struct Diff {
  std::unique_ptr<LoadedRun> before;
  std::unique_ptr<LoadedRun> after;
  DiffResult result;
};

/// Reads both runs and compares them. Errors: as LoadRun.
Expected<Diff> DiffRuns(const DiffOptions& options, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_DIFF_H_
