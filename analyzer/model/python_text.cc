#include "model/python_text.h"

#include <algorithm>

namespace shapewise {

bool SpellsSource(std::string_view function) {
  return function.starts_with("__") || function.starts_with("object.") ||
         function.starts_with("dict.") || function.starts_with("list.") ||
         function.starts_with("tuple.") || function.starts_with("cast_symbool") ||
         function == "getattr" || function == "list" || function == "tuple" || function == "type";
}

bool IsAllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

size_t AfterLiteral(std::string_view text, size_t pos) {
  const char quote = text[pos];
  for (size_t i = pos + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return kNotFound;
}

size_t AfterBracket(std::string_view text, size_t pos) {
  size_t depth = 0;
  for (size_t i = pos; i < text.size();) {
    const char c = text[i];
    if (IsQuote(c)) {
      i = AfterLiteral(text, i);
      if (i == kNotFound) return kNotFound;
      continue;
    }
    ++i;
    if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
      return i;
    }
  }
  return kNotFound;
}

bool HasOpenBracket(std::string_view text) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      // "isn't"
      const bool is_apostrophe = c == '\'' && i > 0 && IsWordChar(text[i - 1]) &&
                                 i + 1 < text.size() && IsWordChar(text[i + 1]);
      if (!is_apostrophe) quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return depth > 0 || quote != 0;
}

std::string_view WithoutOuterParentheses(std::string_view text) {
  // Printers add at most two around a guard; a fixed limit keeps hostile nesting linear.
  constexpr int kMostLayers = 4;
  text = Trim(text);
  for (int layer = 0; layer < kMostLayers && text.starts_with('('); ++layer) {
    if (AfterBracket(text, 0) != text.size()) break;
    text = Trim(text.substr(1, text.size() - 2));
  }
  return text;
}

size_t AfterDottedName(std::string_view text, size_t pos) {
  while (pos < text.size() && (IsWordByte(text[pos]) || text[pos] == '.')) ++pos;
  return pos;
}

size_t AfterSource(std::string_view text, size_t pos) {
  const size_t start = pos;
  if (pos >= text.size() || !IsWordByte(text[pos]) || IsDigit(text[pos])) return start;
  pos = AfterDottedName(text, pos);
  if (pos < text.size() && text[pos] == '(' && !text.substr(pos).starts_with("()")) {
    if (!SpellsSource(text.substr(start, pos - start))) return start;
    pos = AfterBracket(text, pos);
    if (pos == kNotFound) return kNotFound;
  }
  while (pos < text.size()) {
    if (text[pos] == '[') {
      pos = AfterBracket(text, pos);
      if (pos == kNotFound) return kNotFound;
    } else if (text[pos] == '.' && pos + 1 < text.size() && IsWordByte(text[pos + 1])) {
      pos = AfterDottedName(text, pos);
    } else if (text.substr(pos).starts_with("()")) {
      pos += 2;
    } else {
      break;
    }
  }
  return pos;
}

std::string_view ReadArgument(std::string_view text, size_t pos, size_t* after) {
  const size_t start = pos;
  *after = kNotFound;
  while (pos < text.size()) {
    const char c = text[pos];
    if (c == ',' || c == ')') {
      *after = pos;
      return Trim(text.substr(start, pos - start));
    }
    if (IsQuote(c)) {
      pos = AfterLiteral(text, pos);
    } else if (c == '(' || c == '[' || c == '{') {
      pos = AfterBracket(text, pos);
    } else {
      ++pos;
    }
    if (pos == kNotFound) break;
  }
  return {};
}

}  // namespace shapewise
