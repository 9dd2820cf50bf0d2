// Logical lines of Python: what stands between two NEWLINE tokens, found by strings, comments,
// brackets and continued lines alone.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_LOGICAL_LINES_H_
#define SHAPEWISE_ANALYZER_SYNTAX_LOGICAL_LINES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "llvm/ADT/SmallVector.h"
#include "syntax/python_strings.h"

namespace shapewise {

/// One line with a statement, or with several between semicolons.
struct LogicalLine {
  const char* begin = nullptr;  ///< of its blanks
  const char* first = nullptr;  ///< of its first token
  const char* last = nullptr;   ///< behind its last token
  const char* end = nullptr;    ///< behind its newline
  uint32_t column = 0;          ///< of `first`; tabs go to multiples of 8
};

enum class LineFault : uint8_t {
  kParenthesisOpen,
  kBracketOpen,
  kBraceOpen,
  kParenthesisUnmatched,
  kBracketUnmatched,
  kBraceUnmatched,
  kBracketMismatched,
  kBracketsTooDeep,
  kStringOpen,
  kTripleStringOpen,
  kDedent,
  kIndent,
  kNoIndent,
  kNullByte,
};

/// Brackets in brackets; Python refuses more.
inline constexpr size_t kMaxBrackets = 200;

/// In Python's own words; lives as long as the program.
std::string_view MessageOf(LineFault fault);

/// What a reader of lines tells of their insides. Derive from it and hide what is of interest.
struct LineObserver {
  /// A line begins: all but its ends is known.
  void Begin(const LogicalLine& /*line*/) {}
  /// Bytes that mean nothing: a comment, blanks and ends of lines between tokens.
  void Nothing(const char* /*begin*/, const char* /*end*/) {}
  void String(const StringLiteral& /*literal*/) {}
  void Fault(LineFault /*fault*/, const char* /*at*/) {}
  /// A bracket or string that nothing closes before `at`.
  void Missing(const char* /*at*/, std::string_view /*text*/) {}
};

enum class PythonByte : uint8_t { kPlain, kNewline, kComment, kQuote, kOpen, kClose, kBackslash };

inline constexpr std::array<PythonByte, 256> kPythonBytes = [] {
  std::array<PythonByte, 256> bytes{};
  for (const char c : {'\n', '\r'}) bytes[static_cast<unsigned char>(c)] = PythonByte::kNewline;
  for (const char c : {'"', '\''}) bytes[static_cast<unsigned char>(c)] = PythonByte::kQuote;
  for (const char c : {'(', '[', '{'}) bytes[static_cast<unsigned char>(c)] = PythonByte::kOpen;
  for (const char c : {')', ']', '}'}) bytes[static_cast<unsigned char>(c)] = PythonByte::kClose;
  bytes['#'] = PythonByte::kComment;
  bytes['\\'] = PythonByte::kBackslash;
  return bytes;
}();

inline bool IsPythonBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

/// Whether the word at `at` is `word` and ends there.
inline bool HasWord(const char* at, const char* end, std::string_view word) {
  const std::string_view text(at, static_cast<size_t>(end - at));
  return text.starts_with(word) &&
         (text.size() == word.size() || !IsPythonNameChar(text[word.size()]));
}

/// Reads the logical lines of a text, one after the other.
template <typename Observer>
class LogicalLineReader {
 public:
  /// Of [begin, end).
  LogicalLineReader(const char* begin, const char* end, Observer& observer)
      : at_(begin), end_(end), observer_(observer), strings_(end) {}

  /// The next line; false at the end of the text. Blank lines and those with nothing but a comment
  /// are none.
  bool Next(LogicalLine& line) {
    const char* at = at_;
    for (;;) {
      line.begin = at;
      line.column = 0;
      for (; at < end_; ++at) {
        if (*at == ' ') {
          ++line.column;
        } else if (*at == '\t') {
          line.column = (line.column / 8 + 1) * 8;
        } else if (*at == '\f') {
          line.column = 0;
        } else {
          break;
        }
      }
      if (at == end_) {
        at_ = at;
        return false;
      }
      if (*at == '#') at = FindNewline(at, end_);
      if (at == end_) continue;
      if (!IsPythonNewline(*at)) break;
      at = SkipNewline(at, end_);
    }
    line.first = at;
    observer_.Begin(line);
    ReadToEnd(line);
    return true;
  }

 private:
  struct OpenBracket {
    const char* at;
    char closer;
  };

  void ReadToEnd(LogicalLine& line) {
    const char* at = line.first;
    brackets_.clear();
    num_dropped_ = 0;
    has_dropped_ = false;
    for (;;) {
      while (at < end_ && ByteAt(at) == PythonByte::kPlain) ++at;
      if (at == end_) break;
      switch (ByteAt(at)) {
        case PythonByte::kNewline:
          if (brackets_.empty()) {
            SetLast(line, at);
            line.end = at_ = SkipNewline(at, end_);
            return;
          }
          {
            const char* newline = at;
            at = SkipNewline(at, end_);
            if (BeginsDefinition(at)) {
              CloseBrackets(newline);
              SetLast(line, newline);
              line.end = at_ = at;
              return;
            }
            at = SkipBlanks(at);
            observer_.Nothing(newline, at);
          }
          break;
        case PythonByte::kComment: {
          const char* comment = at;
          at = FindNewline(at, end_);
          observer_.Nothing(comment, at);
          if (brackets_.empty()) {
            SetLast(line, comment);
            line.end = at_ = at == end_ ? at : SkipNewline(at, end_);
            return;
          }
          break;
        }
        case PythonByte::kQuote:
          at = ReadString(line.first, at);
          break;
        case PythonByte::kOpen:
          Open(at);
          ++at;
          break;
        case PythonByte::kClose:
          Close(at);
          ++at;
          break;
        case PythonByte::kBackslash:
          ++at;
          if (at < end_ && IsPythonNewline(*at)) {
            const char* continued = at - 1;
            at = SkipNewline(at, end_);
            at = SkipBlanks(at);
            observer_.Nothing(continued, at);
          }
          break;
        case PythonByte::kPlain:
          break;
      }
    }
    CloseBrackets(end_);
    SetLast(line, end_);
    line.end = at_ = end_;
  }

  static PythonByte ByteAt(const char* at) { return kPythonBytes[static_cast<unsigned char>(*at)]; }

  static void SetLast(LogicalLine& line, const char* last) {
    while (last > line.first && (IsPythonBlank(last[-1]) || IsPythonNewline(last[-1]))) --last;
    line.last = last;
  }

  const char* SkipBlanks(const char* at) const {
    while (at < end_ && IsPythonBlank(*at)) ++at;
    return at;
  }

  const char* ReadString(const char* line_begin, const char* quote) {
    const StringLiteral literal = strings_.Skip(line_begin, quote);
    observer_.String(literal);
    if (!literal.is_closed) {
      observer_.Fault(literal.is_triple ? LineFault::kTripleStringOpen : LineFault::kStringOpen,
                      literal.begin);
      observer_.Missing(literal.end, std::string_view(quote, literal.is_triple ? 3 : 1));
    }
    return literal.end;
  }

  /// A bracket of too many is left out, and so is what closes it.
  void Open(const char* at) {
    if (brackets_.size() < kMaxBrackets) {
      brackets_.push_back({at, *at == '(' ? ')' : *at == '[' ? ']' : '}'});
      return;
    }
    if (!has_dropped_) observer_.Fault(LineFault::kBracketsTooDeep, at);
    has_dropped_ = true;
    ++num_dropped_;
    observer_.Nothing(at, at + 1);
  }

  void Close(const char* at) {
    if (num_dropped_ > 0) {
      --num_dropped_;
      observer_.Nothing(at, at + 1);
      return;
    }
    if (!brackets_.empty() && brackets_.back().closer == *at) {
      brackets_.pop_back();
      return;
    }
    if (!brackets_.empty()) return CloseMismatched(at);
    observer_.Fault(*at == ')'   ? LineFault::kParenthesisUnmatched
                    : *at == ']' ? LineFault::kBracketUnmatched
                                 : LineFault::kBraceUnmatched,
                    at);
    observer_.Nothing(at, at + 1);
  }

  /// Either what is within was not closed, which is looked for a few levels up, or the wrong
  /// bracket was written.
  void CloseMismatched(const char* at) {
    observer_.Fault(LineFault::kBracketMismatched, at);
    constexpr size_t kLevels = 8;
    size_t inner = 1;
    while (inner < kLevels && inner < brackets_.size() &&
           brackets_[brackets_.size() - 1 - inner].closer != *at) {
      ++inner;
    }
    const bool is_found = inner < kLevels && inner < brackets_.size();
    for (size_t i = 0; i < (is_found ? inner : 1); ++i) {
      observer_.Missing(at, TextOf(brackets_.pop_back_val().closer));
    }
    if (is_found) {
      brackets_.pop_back();
    } else {
      observer_.Nothing(at, at + 1);
    }
  }

  static std::string_view TextOf(char closer) {
    return closer == ')' ? ")" : closer == ']' ? "]" : "}";
  }

  /// Neither `def` nor `class` can stand within brackets: where one begins a line, a bracket before
  /// it was forgotten.
  bool BeginsDefinition(const char* at) const {
    while (at < end_ && IsPythonBlank(*at)) ++at;
    if (at == end_) return false;
    const std::string_view word = *at == 'd' ? "def" : "class";
    if (*at != word[0] || !HasWord(at, end_, word)) return false;
    at += word.size();
    if (at == end_ || !IsPythonBlank(*at)) return false;
    while (at < end_ && IsPythonBlank(*at)) ++at;
    return at < end_ && IsPythonNameChar(*at);
  }

  void CloseBrackets(const char* at) {
    if (brackets_.empty()) return;
    const OpenBracket& inner = brackets_.back();
    observer_.Fault(inner.closer == ')'   ? LineFault::kParenthesisOpen
                    : inner.closer == ']' ? LineFault::kBracketOpen
                                          : LineFault::kBraceOpen,
                    inner.at);
    while (!brackets_.empty()) observer_.Missing(at, TextOf(brackets_.pop_back_val().closer));
  }

  const char* at_;
  const char* end_;
  Observer& observer_;
  StringSkipper strings_;
  llvm::SmallVector<OpenBracket, 32> brackets_;
  size_t num_dropped_ = 0;    ///< brackets that are open and left out
  bool has_dropped_ = false;  ///< this line had some
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_LOGICAL_LINES_H_
