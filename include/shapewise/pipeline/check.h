// What `shapewise check` does between code and its report.

#ifndef SHAPEWISE_PIPELINE_CHECK_H_
#define SHAPEWISE_PIPELINE_CHECK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/check/judge_facts.h"
#include "shapewise/pipeline/code_inputs.h"
#include "shapewise/result/code_finding.h"
#include "shapewise/result/code_text.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// What to tell of code.
struct CheckOptions {
  CodeMode mode = CodeMode::kBoth;
  std::vector<std::string> select;  ///< codes, beginnings of codes, or names of rules; empty: all
  std::vector<std::string> ignore;  ///< likewise; wins over `select`
  /// Functions that are called in a compiled region though the code does not show it: names like
  /// "package.module.Class.method" or the end of one behind a dot, with * and ?.
  std::vector<std::string> entries;
  unsigned jobs = 0;  ///< threads; 0: as many as the machine has
};

/// What the engines find in one set of files: everything that depends on code alone. Each site has
/// a finding of its own: whatever removes findings comes before FoldFindings.
struct CodeAnalysis {
  CheckResult result;
};

/// Looks for what breaks graphs or compiles again in `inputs`. The answer does not depend on
/// `options.jobs`. Error: a selector that fits no rule.
Expected<CodeAnalysis> AnalyzeCode(const CheckOptions& options, const CodeInputs& inputs);

/// A text that is the same only for the same code and options: what AnalyzeCode says may be kept
/// under it. 40 hex digits. `version`: of the program.
std::string AnalysisKey(const CheckOptions& options, const CodeInputs& inputs,
                        std::string_view version);

/// The analysis as bytes, and back. Error: they are none of this version.
std::string SaveAnalysis(const CodeAnalysis& analysis);
Expected<CodeAnalysis> LoadAnalysis(std::string_view bytes);

/// The texts of all files that `result` speaks of.
CodeTexts TextsOf(const CheckResult& result, const CodeInputs& inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CHECK_H_
