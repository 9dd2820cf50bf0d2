#include "check/rewrites/messages.h"

#include "llvm/ADT/StringExtras.h"

namespace shapewise {

std::optional<std::string> ConstantText(const FixContext& context, const Expr& message) {
  if (message.kind == PythonExprKind::kString) return std::string(context.Text(message));
  if (message.kind != PythonExprKind::kFormatted) return {};
  const FileSpan span = context.Place(message.span);
  const FileView& file = context.file();
  std::string result;
  size_t at = span.begin;
  for (const FileSpan& string : file.scan().strings) {
    if (string.end <= span.begin || string.begin >= span.end) continue;
    result += file.text().substr(at, string.begin - at);
    size_t quote = string.begin;
    for (; llvm::isAlpha(file.text()[quote]); ++quote)
      if (llvm::toLower(file.text()[quote]) != 'f') result += file.text()[quote];
    result += file.text().substr(quote, string.end - quote);
    at = string.end;
  }
  if (at != span.end) return {};
  return result;
}

std::string QuotedSource(const FixContext& context, const Expr& expr) {
  std::string text;
  bool was_space = false;
  for (const char c : context.Text(expr)) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    if (is_space && was_space) continue;
    was_space = is_space;
    // A backslash or a double quote would need care in the literal.
    text += is_space ? ' ' : c == '\\' ? '/' : c == '"' ? '\'' : c;
  }
  return "\"" + text + "\"";
}

}  // namespace shapewise
