// Places and texts of facts in their files, and the texts of rules about code, with the values of
// {subject} and other placeholders.

#ifndef SHAPEWISE_CHECK_FACT_TEXT_H_
#define SHAPEWISE_CHECK_FACT_TEXT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check/file_view.h"
#include "result/code_finding.h"
#include "source/fact.h"
#include "source/project.h"
#include "support/error.h"
#include "syntax/outline.h"

namespace shapewise {

/// Offset of the unit of `fact` in its file: add it to places of trees.
size_t UnitBegin(const Project& project, const Fact& fact);

/// The bytes of the file that `fact` is about: its expression, else its statement; for a statement
/// with a body, its first line.
FileSpan SpanOf(const Project& project, const Fact& fact);

/// The code of the receiver of a call, of the base of an index or of an attribute; null for other
/// facts.
const Expr* SubjectOf(const Fact& fact);

/// The source of `expr`, which is in the unit of `fact`; empty for null.
std::string_view WrittenAs(const Project& project, const Fact& fact, const Expr* expr);

/// `text` on one line: each run of blanks and line ends becomes one blank, none around it.
std::string OnOneLine(std::string_view text);

/// `text` on one line, shortened with "..." to a length that fits a message. Cut between
/// characters.
std::string ShortText(std::string_view text);

/// Computes ranges. Callers of findings are in other files, so the lines of all files stay.
class RangeFinder {
 public:
  explicit RangeFinder(const Project& project) : project_(project) {}

  /// The lines and columns of `span`.
  CodeRange RangeOf(FileId file, FileSpan span) {
    return files_.try_emplace(file, project_.files()[file].text).first->second.RangeOf(span);
  }

  /// The line of the name of `function`, from "def" to the end of the name.
  CodeRange NameRangeOf(FunctionId function);

 private:
  const Project& project_;
  std::map<FileId, FileLines> files_;
};

/// `text` with its placeholders replaced by the parts of `fact`; "..." for parts that the fact does
/// not have.
///
///   {expression}          the code that the fact is about
///   {subject}             the receiver of a call, the base of an index or attribute; else as above
///   {callee}              the callee, as written
///   {name}                its full name; builtins without "builtins."
///   {attribute}           the last part of that name
///   {argument0} ...       an argument as written, up to {argument3}
///   {function}, {caller}  "Attention.forward"
std::string FillCodePlaceholders(std::string_view text, const Project& project, const Fact& fact);

/// Whether all placeholders of `text` are known.
Error CheckCodePlaceholders(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FACT_TEXT_H_
