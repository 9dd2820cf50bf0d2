#include "report/markdown_text.h"

#include <algorithm>

#include "support/terminal_text.h"

namespace shapewise {

std::string MarkdownText(std::string_view text) {
  std::string plain;
  for (const char c : MakePrintable(text)) {
    switch (c) {
      case '&':
        plain += "&amp;";
        break;
      case '<':
        plain += "&lt;";
        break;
      case '>':
        plain += "&gt;";
        break;
      case '\n':
        plain += ' ';
        break;
      default:
        if (std::string_view("\\`*_{}[]()#+!|~@").find(c) != std::string_view::npos) plain += '\\';
        plain += c;
    }
  }
  return plain;
}

std::string MarkdownCode(std::string_view text) {
  // A fence must be longer than any run of backticks in its content.
  size_t longest = 0;
  size_t run = 0;
  std::string code;
  for (const char c : MakePrintable(text)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    code += c == '\n' ? ' ' : c;
  }
  const std::string fence(longest + 1, '`');
  const bool needs_blanks = code.empty() || code.front() == '`' || code.back() == '`';
  return needs_blanks ? fence + " " + code + " " + fence : fence + code + fence;
}

}  // namespace shapewise
