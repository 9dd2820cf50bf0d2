#include "syntax/python_scan.h"

#include <algorithm>
#include <cstddef>

#include "pyast/lexer.h"

namespace shapewise {

PythonScan ScanPython(std::string_view text) {
  using pyast::Tok;
  PythonScan scan;
  pyast::Lexer lexer;
  lexer.Reset(text, pyast::Lexer::Mode::kLines, /*is_printed=*/false);
  bool is_in_line = false;
  size_t line_begin = 0;
  size_t num_open = 0;  // f-strings, one inside the other
  size_t string_begin = 0;
  for (pyast::Token token = lexer.Next(); token.kind != Tok::kEnd; token = lexer.Next()) {
    if (token.kind == Tok::kIndent || token.kind == Tok::kDedent) continue;
    if (token.kind == Tok::kNewline) {
      if (is_in_line) scan.logical_lines.push_back({line_begin, token.begin});
      is_in_line = false;
      num_open = 0;
      continue;
    }
    if (!is_in_line) line_begin = token.begin;
    is_in_line = true;
    if (token.kind == Tok::kFStringStart && num_open++ == 0) string_begin = token.begin;
    if (token.kind == Tok::kString && num_open == 0) {
      scan.strings.push_back({token.begin, token.end});
    } else if (token.kind == Tok::kFStringEnd && num_open != 0 && --num_open == 0) {
      scan.strings.push_back({string_begin, token.end});
    }
    lexer.SkipPlain();
  }
  for (const pyast::Span& comment : lexer.comments()) {
    scan.comments.push_back({comment.begin, comment.end});
  }
  return scan;
}

const FileSpan* SpanAt(const std::vector<FileSpan>& spans, size_t offset) {
  auto it = std::upper_bound(spans.begin(), spans.end(), offset,
                             [](size_t at, const FileSpan& span) { return at < span.begin; });
  if (it == spans.begin()) return nullptr;
  --it;
  return offset < it->end ? &*it : nullptr;
}

}  // namespace shapewise
