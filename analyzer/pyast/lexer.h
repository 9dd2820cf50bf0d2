// Python's tokens, one after the other, with Indent, Dedent and Newline.

#ifndef SHAPEWISE_PYAST_LEXER_H_
#define SHAPEWISE_PYAST_LEXER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "pyast/ast.h"

namespace shapewise::pyast {

/// What a token is. Keywords and operators have a kind each.
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
  // Operators; those with "=" behind them in the same order.
  kPlus, kMinus, kStar, kAt, kSlash, kPercent, kDoubleStar, kLeftShift, kRightShift, kPipe, kCaret,
  kAmpersand, kDoubleSlash,
  kPlusEqual, kMinusEqual, kStarEqual, kAtEqual, kSlashEqual, kPercentEqual, kDoubleStarEqual,
  kLeftShiftEqual, kRightShiftEqual, kPipeEqual, kCaretEqual, kAmpersandEqual, kDoubleSlashEqual,
  kTilde, kEqualEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual,
  // clang-format on
};

/// One token: its kind and its bytes.
struct Token {
  Tok kind = Tok::kEnd;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// What cannot be Python, in CPython's words where it has some: its bytes, and what is wrong.
struct Fault {
  Span span;
  const char* message = "";
};

/// Reads the tokens of one text. Takes time linear in the text, whatever it contains. Text that is
/// no token becomes kError tokens: a stray character, or a string that does not end, up to the end
/// of its line. Brackets that are still open where a line begins with a keyword that no expression
/// contains are closed there.
class Lexer {
 public:
  enum class Mode : uint8_t {
    kLines,       ///< of a module
    kBlock,       ///< lines whose outermost indentation is that of the first
    kExpression,  ///< one expression over any number of lines
  };

  /// Begins with `text`. `is_printed`: "%x" is a name, and quotes that are none of Python's become
  /// error tokens of one character.
  void Reset(std::string_view text, Mode mode, bool is_printed);

  /// The next token. After the last one: kEnd, again and again.
  Token Next();

  /// Comments that were passed so far, "#" included.
  const std::vector<Span>& comments() const { return comments_; }

  /// Brackets and strings that do not end, and columns that no line before has, as far as was
  /// read; at most one for a logical line.
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  struct OpenBracket {
    char bracket;
    uint32_t at;
  };

  /// An f-string or t-string that has not ended.
  struct FString {
    char quote = '"';
    bool is_triple = false;
    bool is_raw = false;
    bool is_in_field = false;  ///< behind "{", not yet in the format
    bool is_in_spec = false;   ///< behind ":" of a field
    size_t depth = 0;          ///< brackets that were open before the field
  };

  char At(size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  bool IsAtLineEnd(size_t at) const { return text_[at] == '\n' || text_[at] == '\r'; }
  size_t BehindLineEnd(size_t at) const {
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
  bool is_cut_ = false;      ///< brackets were open where the logical line ended
  bool has_tokens_ = false;  ///< in the current logical line
  bool has_fault_ = false;   ///< likewise: one fault a line
  int pending_ = 0;          ///< Indent (1) or Dedents (negative) that come next
  llvm::SmallVector<uint32_t, 16> indents_;
  llvm::SmallVector<OpenBracket, 32> brackets_;
  llvm::SmallVector<FString, 2> strings_;
  std::vector<Span> comments_;
  std::vector<Fault> faults_;
  size_t unclosed_until_[4] = {};  ///< by kind of quotes: no string ends before
};

}  // namespace shapewise::pyast

#endif  // SHAPEWISE_PYAST_LEXER_H_
