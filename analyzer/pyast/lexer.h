// Splits Python text into tokens, including Indent, Dedent and Newline.

#ifndef SHAPEWISE_PYAST_LEXER_H_
#define SHAPEWISE_PYAST_LEXER_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "pyast/ast.h"

namespace shapewise::pyast {

/// The kind of a token. Each keyword and operator has its own kind.
enum class Tok : uint8_t {
  // clang-format off
  kEnd, kNewline, kIndent, kDedent, kName, kNumber, kString, kError,
  kFStringStart, kFStringMiddle, kFStringEnd,
  // Keywords, in the order of kKeywords.
  kFalse, kNone, kTrue, kAnd, kAs, kAssert, kAsync, kAwait, kBreak, kClass, kContinue, kDef, kDel,
  kElif, kElse, kExcept, kFinally, kFor, kFrom, kGlobal, kIf, kImport, kIn, kIs, kLambda,
  kNonlocal, kNot, kOr, kPass, kRaise, kReturn, kTry, kWhile, kWith, kYield,
  // Brackets and separators.
  kOpenParen, kCloseParen, kOpenBracket, kCloseBracket, kOpenBrace, kCloseBrace,
  kComma, kColon, kSemicolon, kDot, kEllipsis, kArrow, kExclamation, kColonEqual, kEqual,
  // Operators; augmented assignments are in the same order.
  kPlus, kMinus, kStar, kAt, kSlash, kPercent, kDoubleStar, kLeftShift, kRightShift, kPipe, kCaret,
  kAmpersand, kDoubleSlash,
  kPlusEqual, kMinusEqual, kStarEqual, kAtEqual, kSlashEqual, kPercentEqual, kDoubleStarEqual,
  kLeftShiftEqual, kRightShiftEqual, kPipeEqual, kCaretEqual, kAmpersandEqual, kDoubleSlashEqual,
  kTilde, kEqualEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual,
  // clang-format on
};

/// A token: its kind and its bytes.
struct Token {
  Tok kind = Tok::kEnd;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// A syntax error, in CPython's words if available: its bytes, and a message.
struct Fault {
  Span span;
  const char* message = "";
};

/// Tokenizes a text in linear time, whatever it contains. Invalid text becomes kError tokens: a
/// stray character, or an unclosed string up to the end of its line. Brackets that are still open
/// at a line that begins with a keyword that never occurs in an expression are closed there.
class Lexer {
 public:
  enum class Mode : uint8_t {
    kLines,       ///< a module
    kBlock,       ///< lines whose outermost indentation is that of the first line
    kExpression,  ///< one expression, over any number of lines
  };

  /// Starts with `text`. `is_printed`: "%x" is a name, and quotes that are not valid in Python
  /// become error tokens of one character.
  void Reset(std::string_view text, Mode mode, bool is_printed);

  /// The next token; after the last one, always kEnd.
  Token Next();

  /// Moves to the next bracket, string, comment or line end, unless a string is open; for readers
  /// that need none of the tokens before it.
  void SkipPlain();

  /// Comments so far, including "#".
  const std::vector<Span>& comments() const { return comments_; }

  /// Unclosed brackets and strings, and dedents to unknown columns, so far; at most one per logical
  /// line.
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  struct OpenBracket {
    char bracket;
    uint32_t at;
  };

  /// An f-string or t-string that is not closed yet.
  struct FString {
    char quote = '"';
    bool is_triple = false;
    bool is_raw = false;
    bool is_in_field = false;  ///< after "{", before the format
    bool is_in_spec = false;   ///< after ":" of a field
    size_t depth = 0;          ///< number of open brackets before the field
  };

  char At(size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  bool IsAtLineEnd(size_t at) const { return text_[at] == '\n' || text_[at] == '\r'; }
  /// The end of the line that contains `at`.
  size_t LineEnd(size_t at) const {
    const std::string_view line = text_.substr(at, text_.find('\n', at) - at);
    return at + std::min(line.find('\r'), line.size());
  }
  size_t AfterLineEnd(size_t at) const {
    return at + (text_[at] == '\r' && At(at + 1) == '\n' ? 2 : 1);
  }
  size_t& UnclosedUntil(char quote, bool is_triple) {
    return unclosed_until_[(quote == '"' ? 1 : 0) + (is_triple ? 2 : 0)];
  }
  Token Make(Tok kind, size_t end);
  void BeginLine();
  bool SkipBlanks();
  bool BeginsStatement() const;
  Token NewLine();
  Token LexName();
  Token LexNumber();
  size_t SkipStringText(size_t at, char quote) const;
  Token LexString(size_t begin);
  Token LexOperator();
  Token LexBracket(char c);
  Token LexMiddle();
  Token LexUnclosed(size_t begin, bool is_triple);
  void CloseMismatched(char opening);
  void AddFault(size_t begin, const char* message);

  std::string_view text_;
  Mode mode_ = Mode::kLines;
  size_t at_ = 0;
  bool is_printed_ = false;
  bool is_line_begin_ = true;
  bool is_cut_ = false;      ///< brackets were open at the end of the logical line
  bool has_tokens_ = false;  ///< in the current logical line
  bool has_fault_ = false;   ///< in the current logical line: one fault per line
  int pending_ = 0;          ///< next tokens: Indent (1) or Dedents (negative)
  llvm::SmallVector<uint32_t, 16> indents_;
  llvm::SmallVector<OpenBracket, 32> brackets_;
  llvm::SmallVector<FString, 2> strings_;
  std::vector<Span> comments_;
  std::vector<Fault> faults_;
  size_t unclosed_until_[4] = {};  ///< by kind of quotes: no string ends before this offset
};

}  // namespace shapewise::pyast

#endif  // SHAPEWISE_PYAST_LEXER_H_
