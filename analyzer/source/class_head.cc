#include "source/class_head.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void SkipBlanks(std::string_view& text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
}

std::string_view TakeIdentifier(std::string_view& text) {
  size_t size = 0;
  while (size < text.size() && IsWordChar(text[size])) ++size;
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

/// Skips decorators of one line each; false: one is longer.
bool SkipDecorators(std::string_view& text) {
  for (SkipBlanks(text); text.starts_with('@'); SkipBlanks(text)) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    const std::string_view line = text.substr(0, end);
    if (line.find_first_of("\"'#\\[]{}") != std::string_view::npos ||
        std::count(line.begin(), line.end(), '(') != std::count(line.begin(), line.end(), ')')) {
      return false;
    }
    text.remove_prefix(end + 1);
  }
  return true;
}

/// The dotted name at the start of `text`; empty if not found.
std::string_view TakeDotted(std::string_view& text) {
  const std::string_view begin = text;
  for (;;) {
    const std::string_view word = TakeIdentifier(text);
    if (word.empty() || (word.front() >= '0' && word.front() <= '9')) return {};
    if (!text.starts_with('.')) return begin.substr(0, begin.size() - text.size());
    text.remove_prefix(1);
  }
}

}  // namespace

bool ReadPlainBases(std::string_view text, llvm::SmallVectorImpl<std::string_view>& bases) {
  if (!SkipDecorators(text) || TakeIdentifier(text) != "class") return false;
  SkipBlanks(text);
  if (TakeIdentifier(text).empty()) return false;
  SkipBlanks(text);
  if (text.starts_with(':')) return true;
  if (!text.starts_with('(')) return false;
  text.remove_prefix(1);
  for (;;) {
    SkipBlanks(text);
    if (text.starts_with(')')) break;
    const std::string_view base = TakeDotted(text);
    if (base.empty()) return false;
    bases.push_back(base);
    SkipBlanks(text);
    if (text.starts_with(')')) break;
    if (!text.starts_with(',')) return false;
    text.remove_prefix(1);
  }
  text.remove_prefix(1);
  SkipBlanks(text);
  return text.starts_with(':');
}

}  // namespace shapewise
