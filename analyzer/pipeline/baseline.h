// Suppresses known causes: `lint --baseline`.

#ifndef SHAPEWISE_PIPELINE_BASELINE_H_
#define SHAPEWISE_PIPELINE_BASELINE_H_

#include <string>
#include <vector>

#include "pipeline/lint.h"
#include "result/finding.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// Reads the causes in a baseline or a saved lint result at `path`. Error: as for ReadSavedResult,
/// or the file is neither.
Expected<std::vector<Finding>> LoadBaseline(const std::string& path, FileSource& files);

/// Removes from `result` the findings that are in `known` and not worse than there, and records
/// this in LintResult::baseline. An entry that no longer occurs is stale, unless `options` deselect
/// its rule or the logs do not print what would show it. `file`: the user's name of the baseline.
/// Error: a selector of `options` that matches no rule.
Error SuppressKnown(const std::vector<Finding>& known, const std::string& file,
                    const LintOptions& options, LintResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_BASELINE_H_
