// Comments that hold findings back: `# shapewise: ignore[SWP001] reason`.

#ifndef SHAPEWISE_CHECK_SUPPRESSIONS_H_
#define SHAPEWISE_CHECK_SUPPRESSIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/result/code_finding.h"

namespace shapewise {

/// One comment that holds findings back.
struct Suppression {
  std::vector<std::string> rules;  ///< codes or names as written; empty: all
  std::string reason;              ///< may be empty
  uint32_t first_line = 0;         ///< lines it speaks of, both included; 0: the whole file
  uint32_t last_line = 0;
  CodeRange range;  ///< of the comment
  size_t begin = 0;
  size_t end = 0;
};

/// All of them in `text`, by place. Only comments count, not what stands in strings. One at the end
/// of a line speaks of the statement's lines (a statement over several lines is one as long as its
/// brackets, strings and backslashes go), one alone on its line of the next statement, and
/// `ignore-file` of the file where nothing but comments stands before it.
std::vector<Suppression> FindSuppressions(std::string_view text);

/// Takes out of `findings` of one file what comments hold back; returns how many. For every comment
/// that held nothing back a note SWP900 is added (not if it names only rules that are not among
/// `active`; empty: all are active). `findings` stays in the order by place.
uint64_t Suppress(std::string_view text, std::string_view file,
                  llvm::ArrayRef<std::string_view> active, std::vector<CodeFinding>& findings);

/// The text with an ignore comment for every finding: at the end of the last line of its statement,
/// into a comment that is there already where there is one.
std::string AddIgnores(std::string_view text, llvm::ArrayRef<CodeFinding> findings,
                       std::string_view reason);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_SUPPRESSIONS_H_
