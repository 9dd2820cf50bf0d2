// The engine of `shapewise diff`: from two runs to a comparison.

#ifndef SHAPEWISE_PIPELINE_DIFF_H_
#define SHAPEWISE_PIPELINE_DIFF_H_

#include <memory>
#include <string>

#include "compare/compare_runs.h"
#include "pipeline/lint.h"
#include "pipeline/load_run.h"
#include "result/diff.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// What to compare, and how.
struct DiffOptions {
  std::string before;  ///< a path as for LoadRun
  std::string after;   ///< a path as for LoadRun
  LintOptions lint;    ///< how to read and analyze each run; its paths are ignored
  CompareOptions compare;
};

/// The result, and the runs whose findings it refers to.
struct Diff {
  std::unique_ptr<LoadedRun> before;
  std::unique_ptr<LoadedRun> after;
  DiffResult result;
};

/// Reads and compares both runs. Errors: as for LoadRun.
Expected<Diff> DiffRuns(const DiffOptions& options, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_DIFF_H_
