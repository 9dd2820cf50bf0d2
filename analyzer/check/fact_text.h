// Facts as they stand in their files: places and texts.

#ifndef SHAPEWISE_CHECK_FACT_TEXT_H_
#define SHAPEWISE_CHECK_FACT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/code_finding.h"
#include "shapewise/source/fact.h"
#include "shapewise/source/project.h"
#include "shapewise/support/column_counter.h"
#include "shapewise/syntax/outline.h"

namespace shapewise {

/// Where the unit that `fact` stands in begins in its file: add to places of trees.
size_t UnitBegin(const Project& project, const Fact& fact);

/// Bytes of the file that `fact` is about: its expression, else its statement; of a statement with
/// a body the first line.
FileSpan SpanOf(const Project& project, const Fact& fact);

/// The code of the receiver of a call, of what is indexed, or of whose attribute it is; null: the
/// fact is about no such thing.
const Expr* SubjectOf(const Fact& fact);

/// What `expr`, which stands in the unit of `fact`, is written like; empty for null.
std::string_view WrittenAs(const Project& project, const Fact& fact, const Expr* expr);

/// `text` with one blank for each run of blanks and ends of lines, none around it.
std::string OnOneLine(std::string_view text);

/// `text` on one line, and shortened with "..." where it is longer than a message can bear. Cut
/// between characters.
std::string ShortText(std::string_view text);

/// Ranges of one file after the other.
class RangeFinder {
 public:
  explicit RangeFinder(const Project& project) : project_(project) {}

  /// The lines and columns of `span`.
  CodeRange RangeOf(FileId file, FileSpan span);

  /// The line at which `function` says its name, from "def" to the name's end.
  CodeRange NameRangeOf(FunctionId function);

 private:
  const Project& project_;
  FileId file_ = kNoId;
  std::vector<size_t> line_starts_;
  ColumnCounter columns_;  // of file_
};

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FACT_TEXT_H_
