// What a change of the code brought: `check --diff`.

#ifndef SHAPEWISE_PIPELINE_CODE_CHANGES_H_
#define SHAPEWISE_PIPELINE_CODE_CHANGES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shapewise/pipeline/code_inputs.h"
#include "shapewise/result/code_finding.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// One file that a change touches.
struct ChangedFile {
  std::string before;  ///< its path before; empty: it is new
  std::string after;   ///< its path now; empty: it is gone
  /// Lines now that are new or altered, both ends included, ascending.
  std::vector<std::pair<uint32_t, uint32_t>> lines;
};

/// Reads what `git diff --unified=0` printed. Paths are from the root of the repository. What is no
/// part of a diff is passed over.
std::vector<ChangedFile> ParseDiff(std::string_view diff);

/// Lines that a change brought, by path of the file as the check calls it.
class ChangedLines {
 public:
  void Add(const std::string& file, std::vector<std::pair<uint32_t, uint32_t>> lines);
  /// The file is new: all of it.
  void AddAll(const std::string& file) { Add(file, {{1, UINT32_MAX}}); }

  bool Touches(const std::string& file, uint32_t first, uint32_t last) const;

 private:
  std::map<std::string, std::vector<std::pair<uint32_t, uint32_t>>> lines_;
};

/// Leaves in `result` what stands on changed lines, or in functions that run in a compiled region
/// now (`reached`) and did not before; counts the others in CheckResult::outside_diff. Faults are
/// left where they stand on changed lines. Both lists of functions ascend.
void HoldBackUnchanged(const ChangedLines& changed, const CodeTexts& texts,
                       const std::vector<std::string>& reached_before,
                       const std::vector<std::string>& reached, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CODE_CHANGES_H_
