// Comments that suppress findings: `# shapewise: ignore[SWP001] reason`.

#ifndef SHAPEWISE_CHECK_SUPPRESSIONS_H_
#define SHAPEWISE_CHECK_SUPPRESSIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "result/code_finding.h"

namespace shapewise {

/// Removes suppressed findings of one file from `findings` and returns their number. For every
/// comment that suppresses nothing, names an unknown rule, or is nearly one that suppresses, a note
/// SWP900 is added, unless it names rules that are not in `active` (empty: all are active). Keeps
/// `findings` in order by place.
uint64_t Suppress(std::string_view text, std::string_view file,
                  llvm::ArrayRef<std::string_view> active, std::vector<CodeFinding>& findings);

/// A text with new ignore comments.
struct AddedIgnores {
  std::string text;
  std::vector<size_t> settled;  ///< indices of the findings that the comments resolve
};

/// Adds an ignore comment for every finding but SWP900, at the end of the last line of its
/// statement. An existing ignore comment gets the codes and the reason, and loses the words that
/// suppress nothing, which resolves the note about it.
AddedIgnores AddIgnores(std::string_view text, llvm::ArrayRef<CodeFinding> findings,
                        std::string_view reason);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_SUPPRESSIONS_H_
