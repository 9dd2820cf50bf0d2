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

/// How text is read.
struct ParseOptions {
  /// The text was printed by a program and only resembles Python: "%x" is a name, "f32[]" a
  /// subscript, and an argument, an element or an annotation that is no expression becomes an
  /// ErrorExpr up to the next comma, colon, equals sign or closing bracket.
  bool is_printed = false;
};

/// Reads texts, one after the other. Every text has a result, whatever it contains: a statement
/// that is none becomes an ErrorStmt of one logical line, with the block below it. Takes time and
/// memory linear in the text. Accepts what CPython accepts, and some that its later checks refuse
/// (assignments to calls, positional arguments behind keywords, "return" outside of functions).
/// Trees are valid while the text and the arena are.
class Parser {
 public:
  explicit Parser(llvm::BumpPtrAllocator& arena, ParseOptions options = {})
      : arena_(arena), options_(options) {}

  /// A whole file. `first_is_base`: its first line may be indented, and its other lines with it.
  const Module* ParseModule(std::string_view text, bool first_is_base = false);

  /// The statement that `text` begins with; null if it is none. Of a compound statement only the
  /// head is read, up to its colon. `end` is set behind what was read.
  const Stmt* ParseFirst(std::string_view text, size_t& end);

  /// One expression, as eval() takes it; null if `text` is none.
  const Expr* ParseExpression(std::string_view text);

  /// The arguments of a call, with their parentheses, that `text` begins with: a Call without a
  /// function; null if there are none.
  const Call* ParseArguments(std::string_view text);

  /// Of the last text, in order: errors, and comments with their "#".
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
  /// What a kName token says: in printed text, "%" is no part of it.
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
  Stmts ReadBlockBehind(Tok keyword);
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
  std::vector<Token> tokens_;  ///< of the current line, and what was looked at behind it
  size_t at_ = 0;              ///< of tok_ in tokens_
  Token tok_;                  ///< after a failure kError, so that all readers return
  uint32_t last_end_ = 0;      ///< of the token before tok_
  bool has_failed_ = false;
  bool is_trying_ = false;
  bool is_head_only_ = false;
  bool is_unclosed_ = false;  ///< an element of the current line does not end
  int depth_ = 0;
  std::vector<Fault> faults_;
};

/// Appends to `text` what the body of a string literal means: its escapes undone. `is_format`: it
/// is the text of an f-string, in which "{{" is a brace. False: an escape is none ("\xZ"), or names
/// a character ("\N{DASH}"), whose code is not known here; it is appended as it is.
bool AppendUnescaped(std::string_view body, bool is_raw, bool is_bytes, bool is_format,
                     std::string& text);

/// Places of a text as lines and columns.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  /// The line of the byte at `offset`, counted from 1.
  uint32_t LineOf(uint32_t offset) const;
  /// Bytes between the begin of its line and `offset`.
  uint32_t ColumnOf(uint32_t offset) const { return offset - begins_[LineOf(offset) - 1]; }

 private:
  std::vector<uint32_t> begins_;
};

}  // namespace shapewise::pyast

#endif  // SHAPEWISE_PYAST_PARSER_H_
