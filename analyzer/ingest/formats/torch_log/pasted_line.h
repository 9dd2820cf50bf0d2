// Restores text as torch printed it from single lines that were copied, quoted, escaped or mixed
// with other output; finds the marks that show it.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTED_LINE_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTED_LINE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// Restores what copying changed within one line:
///
///   &lt;, no-break spaces, typographic quotes and dashes   the character itself
///   <pre>, <br/>, </code>                                  nothing, or the end of a line
///   {"message": "W1121 ...", "level": "WARNING"}           the text of that member
///   "W1121 ...\n",                                         a line of a notebook's JSON
///   stderr='W1121 ...\n   function: ...'                   the lines of an escaped text
///   12%|##    | 12/100 [00:05<00:40,  2.1it/s]             nothing: a progress bar
///
/// Returns false with `lines` empty if `line` contains nothing of the kind, as nearly all lines do.
/// Linear in the line.
bool RestorePastedLine(std::string_view line, std::vector<std::string>& lines);

/// Appends the lines of the quoted text that begins at `open` in `line`, and those of the strings
/// that follow it in a list.
void RestoreQuoted(std::string_view line, size_t open, std::vector<std::string>& lines);

/// Whether `c` opens a quoted text: in Python, JSON or Markdown.
inline bool IsQuotingMark(char c) { return c == '"' || c == '\'' || c == '`'; }

/// The length of a color at the front of `text` whose escape character is shown, "\u001b[31m", or
/// was lost, "[31m"; 0 if there is none.
size_t ShownColorLength(std::string_view text);

/// Whether a program turned `text` into Markdown: "torch.\_dynamo hit config.recompile\_limit".
/// Then no character is left that begins an emphasis, and no backslash is of another kind.
bool IsMarkdownEscaped(std::string_view text);

/// Whether `line` contains a character or a sequence that pasting puts there.
bool HasPasteMark(std::string_view line);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTED_LINE_H_
