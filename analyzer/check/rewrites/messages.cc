#include "check/rewrites/messages.h"

namespace shapewise {

std::string QuotedSource(const FixContext& context, const Expr& expr) {
  std::string text;
  bool was_space = false;
  for (const char c : context.Text(expr)) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    if (is_space && was_space) continue;
    was_space = is_space;
    // A backslash or a double quote would have to be escaped in the literal.
    text += is_space ? ' ' : c == '\\' ? '/' : c == '"' ? '\'' : c;
  }
  return "\"" + text + "\"";
}

}  // namespace shapewise
