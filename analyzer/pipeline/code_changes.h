// Findings that a code change introduces: `check --diff`. Findings that are known from before:
// `check --baseline`.

#ifndef SHAPEWISE_PIPELINE_CODE_CHANGES_H_
#define SHAPEWISE_PIPELINE_CODE_CHANGES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/code_inputs.h"
#include "result/code_finding.h"
#include "support/error.h"

namespace shapewise {

/// Lines that a change replaced; either number may be 0.
struct ChangedBlock {
  uint32_t first = 0;  ///< the first new line, or the line before which lines were removed
  uint32_t num_lines = 0;
  uint32_t num_removed = 0;

  friend auto operator<=>(const ChangedBlock&, const ChangedBlock&) = default;
};

/// A file that a change touches.
struct ChangedFile {
  std::string before;                ///< previous path; empty: new file
  std::string after;                 ///< current path; empty: deleted file
  std::vector<ChangedBlock> blocks;  ///< ascending
};

/// Parses a patch in git's format, with any number of context lines. Paths are relative to the root
/// of the repository. Other text is skipped.
std::vector<ChangedFile> ParseDiff(std::string_view diff);

/// Lines that a change added or modified, by the path of the file in the check.
class ChangedLines {
 public:
  /// `blocks`: ascending.
  void Add(const std::string& file, std::vector<ChangedBlock> blocks);
  /// Marks the file as new.
  void AddAll(const std::string& file) { Add(file, {{1, UINT32_MAX - 1, 0}}); }

  /// Whether the change touches one of the lines [first, last].
  bool Touches(const std::string& file, uint32_t first, uint32_t last) const;
  /// The number of `line` before the change; only for lines that it does not touch.
  uint32_t LineBefore(const std::string& file, uint32_t line) const;

 private:
  std::map<std::string, std::vector<ChangedBlock>> blocks_;
};

/// A result with the code that it is about.
struct CodeAnswer {
  CheckResult& result;
  const CodeTexts& texts;
};

/// Keeps in `now` the findings and faults that the change introduced: those on changed lines, and
/// those that `before` does not have in the same place or has with a lower severity. Counts the
/// others in CheckResult::outside_diff. Neither result is folded; both use the same file names.
void SuppressUnchanged(const ChangedLines& changed, const CodeAnswer& before,
                       const CodeAnswer& now);

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

#endif  // SHAPEWISE_PIPELINE_CODE_CHANGES_H_
