// String literals of Python, skipped over.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_PYTHON_STRINGS_H_
#define SHAPEWISE_ANALYZER_SYNTAX_PYTHON_STRINGS_H_

#include <cstdint>

namespace shapewise {

/// A literal that begins at a quote.
struct StringLiteral {
  const char* begin = nullptr;  ///< its prefix, or its quote
  const char* end = nullptr;    ///< behind its closing quote, or where it was given up
  bool is_formatted = false;    ///< an f-string or a t-string
  bool is_template = false;     ///< a t-string
  bool is_triple = false;
  bool is_closed = false;
};

/// Skips string literals of one text.
class StringSkipper {
 public:
  /// `end`: of the text.
  explicit StringSkipper(const char* end) : end_(end) {}

  /// The literal whose quote is `quote`; its prefix is looked for down to `line_begin`. One that
  /// stands on a single line and has no end is given up at the end of that line, a triple-quoted
  /// one at the end of the text.
  StringLiteral Skip(const char* line_begin, const char* quote);

 private:
  const char* SkipPlain(const char* at, char quote, bool is_triple, bool& is_closed) const;
  const char* SkipFormatted(const char* at, char quote, bool is_triple, int depth,
                            bool& is_closed) const;
  const char* SkipReplacement(const char* at, char quote, bool is_triple, int depth,
                              bool& is_closed) const;
  bool EndsAt(const char* at, char quote, bool is_triple) const;
  StringLiteral SkipNested(const char* line_begin, const char* quote, int depth) const;

  const char* end_;
  /// Before Python 3.12 an f-string could not hold its own quote. One that has no end otherwise
  /// makes all that follow be read so, which keeps the work linear.
  bool is_before_312_ = false;
};

inline bool IsPythonNewline(char c) { return c == '\n' || c == '\r'; }

/// Behind the end of line that begins at `at`, which "\r\n" makes of two bytes.
inline const char* SkipNewline(const char* at, const char* end) {
  return at + (*at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1);
}

/// The first "\n" or "\r" at or after `at`, or `end`.
const char* FindNewline(const char* at, const char* end);

/// Whether `c` may stand in a name; bytes beyond ASCII are taken for letters.
inline bool IsPythonNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_PYTHON_STRINGS_H_
