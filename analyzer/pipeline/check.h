// The engine of `shapewise check`: from code to findings.

#ifndef SHAPEWISE_PIPELINE_CHECK_H_
#define SHAPEWISE_PIPELINE_CHECK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/judge_facts.h"
#include "pipeline/code_inputs.h"
#include "result/code_finding.h"
#include "support/error.h"

namespace shapewise {

/// Selects what to report.
struct CheckOptions {
  CodeMode mode = CodeMode::kBoth;
  std::vector<std::string> select;  ///< codes, beginnings of codes, or names of rules; empty: all
  std::vector<std::string> ignore;  ///< the same; takes precedence over `select`
  /// Functions that are called in a compiled region though the code does not show it: names like
  /// "package.module.Class.method" or the end of one after a dot, with * and ?.
  std::vector<std::string> entries;
  unsigned jobs = 0;  ///< threads; 0: as many as the machine has
};

/// The findings in one set of files, which depend on the code alone. Each site has its own finding:
/// anything that removes findings must run before FoldFindings.
struct CodeAnalysis {
  CheckResult result;
  std::vector<std::string> unmatched_entries;  ///< CheckOptions::entries that name no function
};

/// Finds code in `inputs` that causes graph breaks or recompiles. The result does not depend on
/// `options.jobs`. Error: a selector that matches no rule.
Expected<CodeAnalysis> AnalyzeCode(const CheckOptions& options, const CodeInputs& inputs);

/// A cache key for the result of AnalyzeCode, 40 hex digits: equal only for the same code and
/// options. `version`: of the program.
std::string AnalysisKey(const CheckOptions& options, const CodeInputs& inputs,
                        std::string_view version);

/// Serializes and restores an analysis. Error: not bytes of this version.
std::string SaveAnalysis(const CodeAnalysis& analysis);
Expected<CodeAnalysis> LoadAnalysis(std::string_view bytes);

/// The texts of all files that `result` mentions.
CodeTexts TextsOf(const CheckResult& result, const CodeInputs& inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CHECK_H_
