#include "check/rewrites/messages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace shapewise {

namespace {

/// The contents of an f-string as those of a plain string: `<x>` for `{x!r:>8}`, `{` for `{{`.
/// Absent if the code in braces could end the string.
std::optional<std::string> WithoutFields(std::string_view inside) {
  std::string text;
  for (size_t at = 0; at < inside.size(); ++at) {
    const char c = inside[at];
    const bool is_doubled = at + 1 < inside.size() && inside[at + 1] == c;
    if (c != '{' || is_doubled) {
      text += c;
      if (c == '{' || (c == '}' && is_doubled)) ++at;
      continue;
    }
    int depth = 0;
    std::string name;
    bool is_format = false;
    for (++at; at < inside.size(); ++at) {
      const char in = inside[at];
      if (in == '"' || in == '\'' || in == '\\' || in == '\n' || in == '\r') return {};
      if (depth == 0 && in == '}') break;
      if (in == '(' || in == '[' || in == '{') ++depth;
      if (in == ')' || in == ']' || in == '}') --depth;
      const bool is_conversion = in == '!' && inside.substr(at + 1, 1) != "=";
      is_format |= depth == 0 && (in == ':' || is_conversion);
      if (!is_format) name += in;
    }
    if (at == inside.size()) return {};
    text.append("<").append(llvm::StringRef(name).trim(" =")).append(">");
  }
  return text;
}

}  // namespace

std::optional<std::string> ConstantText(const FixContext& context, const Expr& message) {
  if (message.kind == PythonExprKind::kString) return std::string(context.Text(message));
  if (message.kind != PythonExprKind::kFormatted) return {};
  const FileSpan span = context.Place(message.span);
  const FileView& file = context.file();
  std::string result;
  size_t at = span.begin;
  const std::vector<FileSpan>& strings = file.scan().strings;
  auto next = llvm::partition_point(
      strings, [&](const FileSpan& string) { return string.end <= span.begin; });
  for (; next != strings.end() && next->begin < span.end; ++next) {
    const FileSpan& string = *next;
    result += file.text().substr(at, string.begin - at);
    size_t quote = string.begin;
    bool is_formatted = false;
    for (; llvm::isAlpha(file.text()[quote]); ++quote) {
      const bool is_mark = llvm::toLower(file.text()[quote]) == 'f';
      if (!is_mark) result += file.text()[quote];
      is_formatted |= is_mark;
    }
    const std::string_view literal = file.text().substr(quote, string.end - quote);
    at = string.end;
    if (!is_formatted) {
      result += literal;
      continue;
    }
    const bool is_triple =
        literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0];
    const size_t width = is_triple ? 3 : 1;
    if (literal.size() < 2 * width) return {};
    const std::optional<std::string> inside =
        WithoutFields(literal.substr(width, literal.size() - 2 * width));
    if (!inside) return {};
    result.append(literal.substr(0, width)).append(*inside).append(literal.substr(0, width));
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
    // A backslash or a double quote would have to be escaped in the literal.
    text += is_space ? ' ' : c == '\\' ? '/' : c == '"' ? '\'' : c;
  }
  return "\"" + text + "\"";
}

}  // namespace shapewise
