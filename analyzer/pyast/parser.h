// Parses Python 3.8 to 3.14 into the trees of ast.h.

#ifndef SHAPEWISE_PYAST_PARSER_H_
#define SHAPEWISE_PYAST_PARSER_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "pyast/ast.h"
#include "pyast/lexer.h"

namespace shapewise::pyast {

/// How to read a text.
struct ParseOptions {
  /// The text was printed by a program and only resembles Python: "%x" is a name, "f32[]" a
  /// subscript, and an argument, element or annotation that is not an expression becomes an
  /// ErrorExpr up to the next comma, colon, equals sign or closing bracket.
  bool is_printed = false;
};

/// Parses texts one at a time. Every text has a result: an invalid statement becomes an ErrorStmt
/// of one logical line with the block below it. Time and memory are linear in the text. Accepts
/// what CPython accepts, and some code that CPython rejects in later checks (assignments to calls,
/// positional arguments after keywords, "return" outside of functions). Trees are valid as long as
/// the text and the arena.
class Parser {
 public:
  explicit Parser(llvm::BumpPtrAllocator& arena, ParseOptions options = {})
      : arena_(arena), options_(options) {}

  /// A whole file. `first_is_base`: the first line, and the others with it, may be indented.
  const Module* ParseModule(std::string_view text, bool first_is_base = false);

  /// The first statement of `text`; null: invalid. For a compound statement only the head up to its
  /// colon is read. `end` is set to the position after it.
  const Stmt* ParseFirst(std::string_view text, size_t& end);

  /// One expression, as for eval(); null: invalid.
  const Expr* ParseExpression(std::string_view text);

  /// The arguments of a call, with parentheses, at the start of `text`, as a Call without a
  /// function; null: none.
  const Call* ParseArguments(std::string_view text);

  /// Errors and comments (with "#") of the last text, in order.
  const std::vector<Fault>& faults() const { return faults_; }
  const std::vector<Span>& comments() const { return lexer_.comments(); }

 private:
  using ExprVector = llvm::SmallVector<Expr*, 8>;
  using Reader = Expr* (Parser::*)();
  struct StringText;

  // Tokens.
  void Reset(std::string_view text, Lexer::Mode mode);
  void Advance();
  bool Is(Tok kind) const { return tok_.kind == kind; }
  bool IsWord(std::string_view word) const { return Is(Tok::kName) && Text(tok_) == word; }
  Token Ahead();
  bool Accept(Tok kind);
  void Expect(Tok kind, const char* message);
  std::string_view ExpectName();
  std::string_view Text(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  /// The name of a kName token, without "%" in printed text.
  std::string_view NameOf(const Token& token) const {
    const size_t begin = token.begin + (text_[token.begin] == '%' ? 1 : 0);
    return text_.substr(begin, token.end - begin);
  }
  std::nullptr_t Fail(const char* message);
  void AddFault(const char* message);
  template <typename Read>
  bool Attempt(Read&& read);

  // Nodes.
  template <typename T, typename... Fields>
  T* Make(uint32_t begin, Fields... fields);
  template <typename List>
  auto Copy(const List& list);
  std::string_view CopyText(std::string_view text);

  // Statements: statements.cc.
  void ReadLine(llvm::SmallVectorImpl<Stmt*>& out);
  void Recover(uint32_t begin, llvm::SmallVectorImpl<Stmt*>& out);
  Stmts ReadBlock();
  Stmts ReadBlockAfter(Tok keyword);
  Stmt* ReadCompound();
  Stmt* ReadSimple();
  Stmt* ReadExpressionStatement();
  Stmt* ReadIf();
  Stmt* ReadFor(uint32_t begin, bool is_async);
  Stmt* ReadTry();
  Stmt* ReadWith(uint32_t begin, bool is_async);
  Stmt* ReadDecorated();
  Stmt* ReadFunction(uint32_t begin, Exprs decorators, bool is_async);
  Stmt* ReadClass(Exprs decorators);
  Stmt* ReadAsync(Exprs decorators);
  Stmt* ReadMatch();
  Stmt* ReadTypeAlias();
  Stmt* ReadImport();
  Stmt* ReadImportFrom();
  Alias* ReadAlias(bool is_dotted);
  std::string_view ReadDottedName();
  Names ReadNames();
  WithItem* ReadWithItem();
  Nodes ReadTypeParameters();

  // Patterns: patterns.cc.
  Node* ReadPatterns();
  Node* ReadPattern();
  Node* ReadClosedPattern();
  Node* ReadMaybeStarPattern();
  Node* ReadMappingPattern();
  Node* ReadNamePattern();
  Expr* ReadPatternNumber();
  Nodes ReadPatternList(Tok close, bool& has_comma);

  // Expressions: expressions.cc.
  Expr* ReadExpression();
  Expr* ReadNamed();
  Expr* ReadStarNamed();
  Expr* ReadStarExpression();
  Expr* ReadStarExpressions();
  Expr* ReadYieldOrStar();
  Expr* ReadTarget();
  Expr* ReadTargets();
  Expr* ReadBinary(int level);
  Expr* ReadBoolOp(Expr* left, uint32_t begin, Tok op);
  Expr* ReadCompare(Expr* left, uint32_t begin);
  Expr* ReadUnary(int level);
  Expr* ReadPrimary();
  Expr* ReadAtom();
  Expr* ReadNumber();
  Expr* ReadLambda();
  Expr* ReadYield();
  Expr* ReadParenthesized();
  Expr* ReadListDisplay();
  Expr* ReadBraces();
  Expr* ReadCall(Expr* function, uint32_t begin);
  void ReadArguments(ExprVector& arguments, Keywords& keywords);
  Expr* ReadSubscript(Expr* value, uint32_t begin);
  Expr* ReadSlice();
  Arguments* ReadParameters(Tok close, bool has_annotations);
  Comprehensions ReadComprehensions();
  bool IsComprehension() { return Is(Tok::kFor) || (Is(Tok::kAsync) && Ahead().kind == Tok::kFor); }
  Expr* ReadElement(Tok end, Reader read);
  Expr* ReadTuple(Reader read);
  Expr* SkipElement(uint32_t begin, Tok end);

  // Strings: strings.cc.
  Expr* ReadStrings();
  void ReadFString(StringText& text);
  void ReadField(StringText& text);
  void FlushText(StringText& text);

  llvm::BumpPtrAllocator& arena_;
  ParseOptions options_;
  Lexer lexer_;
  std::string_view text_;
  std::vector<Token> tokens_;  ///< tokens of the current line, with look-ahead
  size_t at_ = 0;              ///< index of tok_ in tokens_
  Token tok_;                  ///< kError after a failure, so that all readers return
  uint32_t last_end_ = 0;      ///< end of the token before tok_
  bool has_failed_ = false;
  bool is_trying_ = false;
  bool is_head_only_ = false;
  bool is_unclosed_ = false;  ///< an element of the current line is not closed
  int depth_ = 0;
  std::vector<Fault> faults_;
};

/// Appends the value of a string literal's body to `text`, with escapes decoded. `is_format`: text
/// of an f-string, in which "{{" is a brace. False: an escape is invalid ("\xZ"), or names a
/// character ("\N{DASH}"), which is not looked up; it is appended unchanged.
bool AppendUnescaped(std::string_view body, bool is_raw, bool is_bytes, bool is_format,
                     std::string& text);

/// Converts byte offsets of a text to lines.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  /// The line of the byte at `offset`, from 1.
  uint32_t LineOf(uint32_t offset) const;

 private:
  std::vector<uint32_t> begins_;
};

}  // namespace shapewise::pyast

#endif  // SHAPEWISE_PYAST_PARSER_H_
