#include "check/python_scan.h"

#include <algorithm>
#include <cstddef>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Maximum length of a replacement field in an f-string: keeps hostile text linear.
constexpr size_t kMaxField = 4096;
constexpr int kMaxNesting = 8;

bool IsIdentifierStart(char c) {
  return llvm::isAlpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsIdentifierPart(char c) { return IsIdentifierStart(c) || llvm::isDigit(c); }

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

/// Whether `word` before a quote is the prefix of a string, and which kind.
bool IsStringPrefix(std::string_view word, bool& is_formatted) {
  if (word.size() > 2) return false;
  is_formatted = false;
  for (const char c : word) {
    const char lower = llvm::toLower(c);
    if (lower != 'r' && lower != 'b' && lower != 'u' && lower != 'f' && lower != 't') return false;
    if (lower == 'f' || lower == 't') is_formatted = true;
  }
  return true;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  PythonScan Scan() {
    if (std::string_view(text_).starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size()) Step();
    EndLine(text_.size());
    return std::move(result_);
  }

 private:
  void Step() {
    const char c = text_[at_];
    if (c == '#') {
      const size_t begin = at_;
      while (at_ < text_.size() && !IsLineEnd(text_[at_])) ++at_;
      result_.comments.push_back({begin, at_});
      return;
    }
    if (IsLineEnd(c)) {
      if (depth_ == 0) EndLine(at_);
      at_ += c == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 2 : 1;
      return;
    }
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
      return;
    }
    if (line_begin_ == kNotFound) line_begin_ = at_;
    if (c == '\\') {
      const bool is_crlf = text_.substr(at_ + 1).substr(0, 2) == "\r\n";
      at_ = std::min(text_.size(), at_ + (is_crlf ? 3 : 2));
      return;
    }
    if (c == '\'' || c == '"') {
      AddString(at_, at_, false);
      return;
    }
    if (IsIdentifierPart(c)) {
      ReadWord();
      return;
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    ++at_;
  }

  void ReadWord() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsIdentifierPart(text_[at_])) ++at_;
    if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return;
    bool is_formatted = false;
    if (IsStringPrefix(text_.substr(begin, at_ - begin), is_formatted))
      AddString(begin, at_, is_formatted);
  }

  void AddString(size_t begin, size_t quote, bool is_formatted) {
    size_t end = is_formatted ? StringEnd(quote, true, 0) : kNotFound;
    if (end == kNotFound) end = StringEnd(quote, false, 0);
    result_.strings.push_back({begin, end});
    at_ = end;
  }

  /// The position after the string whose opening quote is at `quote`. kNotFound for an f-string
  /// whose braces do not match. A string that is never closed ends with its line or the text.
  size_t StringEnd(size_t quote, bool is_formatted, int nesting) const {
    const char mark = text_[quote];
    const bool is_triple =
        text_.substr(quote, 3).size() == 3 && text_[quote + 1] == mark && text_[quote + 2] == mark;
    size_t at = quote + (is_triple ? 3 : 1);
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '\\') {
        const bool is_crlf = text_.substr(at + 1).substr(0, 2) == "\r\n";
        at += is_crlf ? 3 : 2;
      } else if (c == mark) {
        if (!is_triple) return at + 1;
        if (text_.substr(at, 3).size() == 3 && text_[at + 1] == mark && text_[at + 2] == mark)
          return at + 3;
        ++at;
      } else if (!is_triple && IsLineEnd(c)) {
        return at;
      } else if (is_formatted && c == '{') {
        if (at + 1 < text_.size() && text_[at + 1] == '{') {
          at += 2;
        } else {
          at = FieldEnd(at, is_triple, nesting);
          if (at == kNotFound) return kNotFound;
        }
      } else {
        ++at;
      }
    }
    return text_.size();
  }

  /// The position after the '}' that closes the field whose '{' is at `open`.
  size_t FieldEnd(size_t open, bool is_triple, int nesting) const {
    if (nesting == kMaxNesting) return kNotFound;
    const size_t limit = std::min(text_.size(), open + kMaxField);
    int depth = 0;
    bool is_in_format = false;
    for (size_t at = open + 1; at < limit;) {
      const char c = text_[at];
      if (IsLineEnd(c) && !is_triple) return kNotFound;
      if (c == '}' && depth == 0) return at + 1;
      if (is_in_format) {
        if (c == '{') {
          at = FieldEnd(at, is_triple, nesting + 1);
          if (at == kNotFound) return kNotFound;
        } else {
          ++at;
        }
        continue;
      }
      if (c == '\'' || c == '"') {
        const bool is_formatted = at > 0 && llvm::toLower(text_[at - 1]) == 'f';
        const size_t end = StringEnd(at, is_formatted, nesting + 1);
        if (end == kNotFound || end > limit) return kNotFound;
        at = end;
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (c == ':' && depth == 0) is_in_format = true;
      ++at;
    }
    return kNotFound;
  }

  void EndLine(size_t end) {
    if (line_begin_ != kNotFound) result_.logical_lines.push_back({line_begin_, end});
    line_begin_ = kNotFound;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t line_begin_ = kNotFound;
  PythonScan result_;
};

}  // namespace

PythonScan ScanPython(std::string_view text) { return Scanner(text).Scan(); }

const FileSpan* SpanAt(const std::vector<FileSpan>& spans, size_t offset) {
  auto it = std::upper_bound(spans.begin(), spans.end(), offset,
                             [](size_t at, const FileSpan& span) { return at < span.begin; });
  if (it == spans.begin()) return nullptr;
  --it;
  return offset < it->end ? &*it : nullptr;
}

}  // namespace shapewise
