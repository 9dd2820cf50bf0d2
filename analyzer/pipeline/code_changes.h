// Findings that a code change introduces: `check --diff`.

#ifndef SHAPEWISE_PIPELINE_CODE_CHANGES_H_
#define SHAPEWISE_PIPELINE_CODE_CHANGES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CODE_CHANGES_H_
