// Text as torch printed it, from lines that were copied, escaped, wrapped or mixed with other
// output.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_REPAIRED_TEXT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_REPAIRED_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// Restores what copying changed within one line:
///
///   &lt;, &#39;, no-break spaces, typographic quotes       the character itself
///   {"log": "W1121 ...\n", "stream": "stderr"}             the text of that member
///   "W1121 ...\n",                                         a line of a notebook's JSON
///   stderr='W1121 ...\n   function: ...'                   the lines of an escaped text
///   12%|##    | 12/100 [00:05<00:40,  2.1it/s]             nothing: a progress bar
///
/// Returns false and leaves `lines` alone if `line` has nothing of the kind, as nearly all lines.
/// Linear in the line.
bool RestorePastedLine(std::string_view line, std::vector<std::string>& lines);

/// Whether `text` begins with the label that stood before the first line of a bare message; numbers
/// in it (a time, a line count) may have moved on.
bool IsSameCarrier(std::string_view carrier, std::string_view text);

/// Whether a line of a message stops before it says what its first words announce: a place without
/// its number, a reason with an open bracket, a link without its end.
bool LacksItsEnd(std::string_view line);

/// Whether the comment behind a guard stops before the place in code that it ends with.
bool HasCutComment(std::string_view line);

/// Whether a paragraph of a break's text may go on in the next line, which nothing shows.
bool IsParagraph(std::string_view line);

/// Whether `line`, from its front, is a prefix of torch's that stops before its end.
bool IsCutPrefix(std::string_view line);

/// Whether a blank stood where `line` was wrapped before `tail`, as far as the two show it. False:
/// the wrap split a word.
bool WasWrappedAtBlank(std::string_view line, std::string_view tail);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_REPAIRED_TEXT_H_
