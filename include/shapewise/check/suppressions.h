// Comments that suppress findings: `# shapewise: ignore[SWP001] reason`.

#ifndef SHAPEWISE_CHECK_SUPPRESSIONS_H_
#define SHAPEWISE_CHECK_SUPPRESSIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/result/code_finding.h"

namespace shapewise {

/// A comment that suppresses findings.
struct Suppression {
  std::vector<std::string> rules;  ///< codes or names as written; empty: all
  std::string reason;              ///< may be empty
  uint32_t first_line = 0;         ///< first line that it applies to; 0: the whole file
  uint32_t last_line = 0;
  CodeRange range;  ///< of the comment
  size_t begin = 0;
  size_t end = 0;
};

/// Finds all suppressions in `text`, by place; strings are not searched. A comment at the end of a
/// line applies to the lines of that statement, which extends over brackets, strings and
/// backslashes. A comment on a line of its own applies to the next statement. `ignore-file` applies
/// to the file if only comments precede it.
std::vector<Suppression> FindSuppressions(std::string_view text);

/// Removes suppressed findings of one file from `findings` and returns their number. For every
/// comment that suppresses nothing a note SWP900 is added, unless it names only rules that are not
/// in `active` (empty: all are active). Keeps `findings` in order by place.
uint64_t Suppress(std::string_view text, std::string_view file,
                  llvm::ArrayRef<std::string_view> active, std::vector<CodeFinding>& findings);

/// Returns the text with an ignore comment for every finding, at the end of the last line of its
/// statement; an existing ignore comment is extended.
std::string AddIgnores(std::string_view text, llvm::ArrayRef<CodeFinding> findings,
                       std::string_view reason);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_SUPPRESSIONS_H_
