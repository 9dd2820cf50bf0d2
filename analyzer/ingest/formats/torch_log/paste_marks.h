// What pasting leaves in a line: quotes, tags, escapes, colors whose escape character is shown.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTE_MARKS_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTE_MARKS_H_

#include <cstddef>
#include <string_view>

namespace shapewise {

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

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTE_MARKS_H_
