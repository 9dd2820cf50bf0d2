// Known causes: `lint --baseline`.

#ifndef SHAPEWISE_PIPELINE_BASELINE_H_
#define SHAPEWISE_PIPELINE_BASELINE_H_

#include <string>
#include <vector>

#include "shapewise/pipeline/lint.h"
#include "shapewise/result/finding.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// The causes in the baseline, or saved result of lint, at `path`. Error: as ReadSavedResult; or it
/// is neither.
Expected<std::vector<Finding>> LoadBaseline(const std::string& path, FileSource& files);

/// Takes the causes that `known` has, and that are not worse than there, out of the findings of
/// `result`, and notes in LintResult::baseline what was done. An entry that no longer occurs is
/// stale, unless `options` deselect its rule or the logs do not print what would show it. `file` is
/// how the user calls the baseline. Error: a selector of `options` that fits no rule.
Error HoldBack(const std::vector<Finding>& known, const std::string& file,
               const LintOptions& options, LintResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_BASELINE_H_
