#include "syntax/logical_lines.h"

namespace shapewise {

std::string_view MessageOf(LineFault fault) {
  switch (fault) {
    case LineFault::kParenthesisOpen:
      return "'(' was never closed";
    case LineFault::kBracketOpen:
      return "'[' was never closed";
    case LineFault::kBraceOpen:
      return "'{' was never closed";
    case LineFault::kParenthesisUnmatched:
      return "unmatched ')'";
    case LineFault::kBracketUnmatched:
      return "unmatched ']'";
    case LineFault::kBraceUnmatched:
      return "unmatched '}'";
    case LineFault::kBracketMismatched:
      return "closing bracket does not match its opening one";
    case LineFault::kBracketsTooDeep:
      return "too many nested parentheses";
    case LineFault::kStringOpen:
      return "unterminated string literal";
    case LineFault::kTripleStringOpen:
      return "unterminated triple-quoted string literal";
    case LineFault::kDedent:
      return "unindent does not match any outer indentation level";
    case LineFault::kIndent:
      return "unexpected indent";
    case LineFault::kNoIndent:
      return "expected an indented block";
    case LineFault::kNullByte:
      return "source code cannot contain null bytes";
  }
  return "invalid syntax";
}

}  // namespace shapewise
