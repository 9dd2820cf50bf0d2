// Suppresses known findings in code: `check --baseline`.

#ifndef SHAPEWISE_PIPELINE_CODE_BASELINE_H_
#define SHAPEWISE_PIPELINE_CODE_BASELINE_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "result/code_finding.h"
#include "support/error.h"

namespace shapewise {

/// A known finding.
struct KnownFinding {
  std::string rule;
  std::string file;  ///< as CodeBaseline names files
  std::string fingerprint;
  std::string function;  ///< identifies the finding in a renamed file, with `message`
  std::string message;
  std::string called_from;  ///< file of the caller that the finding depends on; empty: none
};

/// The findings in a baseline file.
struct CodeBaseline {
  std::string mode;  ///< CheckArguments::mode that it was written with; empty: an older version
  std::vector<KnownFinding> entries;
};

/// What a check can say about the files of a baseline. Files have the names of the baseline.
struct BaselineScope {
  std::set<std::string> checked;  ///< files that were checked, and missing ones of checked folders
  std::set<std::string> missing;  ///< files that do not exist
};

/// Reads a baseline, schema shapewise.check-baseline/1. `name`: of the file, for messages. Error:
/// not a baseline.
Expected<CodeBaseline> ReadCodeBaseline(std::string_view text, const std::string& name);

/// Writes a baseline, one entry per line and ordered by file, so that versions can be compared line
/// by line.
void WriteCodeBaseline(CodeBaseline baseline, llvm::raw_ostream& out);

/// The entry for `finding`. `name_of`: the name of a file in the baseline.
KnownFinding KnownAs(const CodeFinding& finding,
                     llvm::function_ref<std::string(const std::string&)> name_of);

/// Moves known findings of `result` to CheckResult::known_findings. Each entry suppresses one
/// finding: with its fingerprint in its file, else with its fingerprint in another file, if its own
/// was checked or is missing, because files are moved. Entries of a missing file also match the
/// findings of one other file by rule, function and message, because files are renamed. Findings
/// are not folded yet: each site has its own entry. Returns the entries that suppress nothing.
std::vector<KnownFinding> SuppressKnown(const CodeBaseline& baseline, const BaselineScope& scope,
                                        llvm::function_ref<std::string(const std::string&)> name_of,
                                        CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CODE_BASELINE_H_
