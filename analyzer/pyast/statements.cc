// Parses Python statements.

#include <string>

#include "pyast/parser_nodes.h"
#include "support/text_scan.h"

namespace shapewise::pyast {
namespace {

// Source: operator_precedence and augassign of CPython's Grammar/python.gram; by token from
// kPlusEqual on.
constexpr Operator kAugmented[] = {
    Operator::kAdd,    Operator::kSub,    Operator::kMult,    Operator::kMatMult, Operator::kDiv,
    Operator::kMod,    Operator::kPow,    Operator::kLShift,  Operator::kRShift,  Operator::kBitOr,
    Operator::kBitXor, Operator::kBitAnd, Operator::kFloorDiv};

bool IsAugmented(Tok token) { return token >= Tok::kPlusEqual && token <= Tok::kDoubleSlashEqual; }

}  // namespace

/// Reads one logical line, or a compound statement.
void Parser::ReadLine(llvm::SmallVectorImpl<Stmt*>& out) {
  // Nothing looks back past the start of a line.
  if (!is_trying_ && at_ > 0) {
    tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<ptrdiff_t>(at_));
    at_ = 0;
  }
  is_unclosed_ = false;
  const llvm::SaveAndRestore deeper(depth_, depth_ + 1);
  uint32_t begin = tok_.begin;
  Stmt* statement = depth_ > kMaxDepth ? Fail("nested too deeply") : ReadCompound();
  if (statement == nullptr && !has_failed_) {
    while (true) {
      begin = tok_.begin;
      statement = ReadSimple();
      if (has_failed_ || !Is(Tok::kSemicolon)) break;
      out.push_back(statement);
      statement = nullptr;
      Advance();
      if (Is(Tok::kNewline)) break;
    }
    Expect(Tok::kNewline, "end of line expected");
  }
  if (has_failed_) {
    Recover(begin, out);
  } else if (statement != nullptr) {
    out.push_back(statement);
  }
}

/// Turns the text from `begin` to the end of its line, and the block below it, into an ErrorStmt.
void Parser::Recover(uint32_t begin, llvm::SmallVectorImpl<Stmt*>& out) {
  has_failed_ = false;
  tok_ = tokens_[at_];
  while (!Is(Tok::kNewline) && !Is(Tok::kEnd) && !Is(Tok::kDedent) && !Is(Tok::kIndent)) Advance();
  // An error in brackets or strings is more informative.
  const bool has_token_fault =
      std::any_of(lexer_.faults().rbegin(), lexer_.faults().rend(),
                  [&](const Fault& fault) { return fault.span.begin >= begin; });
  if (has_token_fault && !faults_.empty() && faults_.back().span.begin >= begin) faults_.pop_back();
  Accept(Tok::kNewline);
  llvm::SmallVector<Stmt*, 8> body;
  if (Accept(Tok::kIndent)) {
    while (!Is(Tok::kDedent) && !Is(Tok::kEnd)) ReadLine(body);
    Accept(Tok::kDedent);
  } else if (body.empty() && last_end_ <= begin) {
    Accept(Tok::kDedent);
  }
  out.push_back(Make<ErrorStmt>(std::min(begin, last_end_), Stmts(Copy(body))));
}

/// Reads ":" and the block after it.
Stmts Parser::ReadBlock() {
  Expect(Tok::kColon, "':' expected");
  if (has_failed_ || is_head_only_) return {};
  llvm::SmallVector<Stmt*, 8> body;
  if (!Accept(Tok::kNewline)) {
    ReadLine(body);
    return Copy(body);
  }
  if (!Accept(Tok::kIndent)) {
    AddFault("an indented block is expected");
    return {};
  }
  while (!Is(Tok::kDedent) && !Is(Tok::kEnd)) ReadLine(body);
  Accept(Tok::kDedent);
  return Copy(body);
}

/// Reads the block of "else" or "finally", if present.
Stmts Parser::ReadBlockAfter(Tok keyword) { return Accept(keyword) ? ReadBlock() : Stmts(); }

/// Null: not a compound statement, and nothing was read.
Stmt* Parser::ReadCompound() {
  const uint32_t begin = tok_.begin;
  switch (tok_.kind) {
    case Tok::kIf:
      return ReadIf();
    case Tok::kWhile: {
      Advance();
      Expr* const test = ReadNamed();
      const Stmts body = ReadBlock();
      const Stmts orelse = ReadBlockAfter(Tok::kElse);
      return Make<While>(begin, test, body, orelse);
    }
    case Tok::kFor:
      return ReadFor(begin, /*is_async=*/false);
    case Tok::kTry:
      return ReadTry();
    case Tok::kWith:
      return ReadWith(begin, /*is_async=*/false);
    case Tok::kDef:
      return ReadFunction(begin, {}, /*is_async=*/false);
    case Tok::kClass:
      return ReadClass({});
    case Tok::kAt:
      return ReadDecorated();
    case Tok::kAsync:
      return ReadAsync({});
    case Tok::kName:
      if (IsWord("match")) return ReadMatch();
      return nullptr;
    default:
      return nullptr;
  }
}

Stmt* Parser::ReadAsync(Exprs decorators) {
  const uint32_t begin = tok_.begin;
  Advance();
  if (Is(Tok::kDef)) return ReadFunction(begin, decorators, /*is_async=*/true);
  if (Is(Tok::kFor) && decorators.empty()) return ReadFor(begin, /*is_async=*/true);
  if (Is(Tok::kWith) && decorators.empty()) return ReadWith(begin, /*is_async=*/true);
  return Fail("'def' expected");
}

Stmt* Parser::ReadIf() {
  struct Branch {
    uint32_t begin;
    Expr* test;
    Stmts body;
  };
  llvm::SmallVector<Branch, 4> branches;
  do {
    const uint32_t begin = tok_.begin;
    Advance();
    Expr* const test = ReadNamed();
    const Stmts body = ReadBlock();
    branches.push_back({begin, test, body});
  } while (Is(Tok::kElif));
  Stmts orelse = ReadBlockAfter(Tok::kElse);
  // Each "elif" is an If in the "else" of the previous one.
  If* statement = nullptr;
  for (; !branches.empty(); branches.pop_back()) {
    if (statement != nullptr) orelse = Copy(llvm::SmallVector<Stmt*, 1>{statement});
    statement = Make<If>(branches.back().begin, branches.back().test, branches.back().body, orelse);
  }
  return statement;
}

Stmt* Parser::ReadFor(uint32_t begin, bool is_async) {
  Advance();
  Expr* const target = ReadTargets();
  Expect(Tok::kIn, "'in' expected");
  Expr* const iterated = ReadStarExpressions();
  const Stmts body = ReadBlock();
  const Stmts orelse = ReadBlockAfter(Tok::kElse);
  if (is_async) return Make<AsyncFor>(begin, target, iterated, body, orelse);
  return Make<For>(begin, target, iterated, body, orelse);
}

Stmt* Parser::ReadTry() {
  const uint32_t begin = tok_.begin;
  Advance();
  const Stmts body = ReadBlock();
  llvm::SmallVector<ExceptHandler*, 4> handlers;
  bool is_star = false;
  while (Is(Tok::kExcept)) {
    const uint32_t handler_begin = tok_.begin;
    Advance();
    is_star |= Accept(Tok::kStar);
    Expr* const type = Is(Tok::kColon) ? nullptr : ReadStarExpressions();
    const std::string_view name = Accept(Tok::kAs) ? ExpectName() : std::string_view();
    const Stmts handler = ReadBlock();
    handlers.push_back(Make<ExceptHandler>(handler_begin, type, name, handler));
  }
  const Stmts orelse = ReadBlockAfter(Tok::kElse);
  const bool is_whole = !handlers.empty() || Is(Tok::kFinally) || is_head_only_;
  if (!is_whole && !has_failed_) AddFault("'except' or 'finally' expected");
  const Stmts finally = ReadBlockAfter(Tok::kFinally);
  if (is_star) return Make<TryStar>(begin, body, Handlers(Copy(handlers)), orelse, finally);
  return Make<Try>(begin, body, Handlers(Copy(handlers)), orelse, finally);
}

WithItem* Parser::ReadWithItem() {
  const uint32_t begin = tok_.begin;
  Expr* const context = ReadExpression();
  Expr* target = nullptr;
  if (Accept(Tok::kAs)) {
    const uint32_t target_begin = tok_.begin;
    target = Accept(Tok::kStar) ? Make<Starred>(target_begin, ReadPrimary()) : ReadPrimary();
  }
  return Make<WithItem>(begin, context, target);
}

Stmt* Parser::ReadWith(uint32_t begin, bool is_async) {
  Advance();
  llvm::SmallVector<WithItem*, 2> items;
  // Parentheses around all items, or only around part of the first item.
  const bool is_parenthesized = Is(Tok::kOpenParen) && Attempt([&] {
                                  Advance();
                                  do {
                                    items.push_back(ReadWithItem());
                                  } while (Accept(Tok::kComma) && !Is(Tok::kCloseParen));
                                  return Accept(Tok::kCloseParen) && Is(Tok::kColon);
                                });
  if (!is_parenthesized) {
    items.clear();
    do {
      items.push_back(ReadWithItem());
    } while (Accept(Tok::kComma));
  }
  const Stmts body = ReadBlock();
  if (is_async) return Make<AsyncWith>(begin, WithItems(Copy(items)), body);
  return Make<With>(begin, WithItems(Copy(items)), body);
}

Stmt* Parser::ReadDecorated() {
  ExprVector decorators;
  while (Accept(Tok::kAt)) {
    decorators.push_back(ReadNamed());
    Expect(Tok::kNewline, "end of line expected");
  }
  const Exprs list = Copy(decorators);
  if (Is(Tok::kDef)) return ReadFunction(tok_.begin, list, /*is_async=*/false);
  if (Is(Tok::kClass)) return ReadClass(list);
  if (Is(Tok::kAsync)) return ReadAsync(list);
  return Fail("a function or a class is expected");
}

Stmt* Parser::ReadFunction(uint32_t begin, Exprs decorators, bool is_async) {
  Advance();
  const std::string_view name = ExpectName();
  const Nodes type_parameters = ReadTypeParameters();
  Expect(Tok::kOpenParen, "'(' expected");
  Arguments* const arguments = ReadParameters(Tok::kCloseParen, /*has_annotations=*/true);
  Expect(Tok::kCloseParen, "')' expected");
  Expr* const returns = Accept(Tok::kArrow) ? ReadStarExpressions() : nullptr;
  const Stmts body = ReadBlock();
  if (is_async) {
    return Make<AsyncFunctionDef>(begin, name, arguments, body, decorators, returns,
                                  type_parameters);
  }
  return Make<FunctionDef>(begin, name, arguments, body, decorators, returns, type_parameters);
}

Stmt* Parser::ReadClass(Exprs decorators) {
  const uint32_t begin = tok_.begin;
  Advance();
  const std::string_view name = ExpectName();
  const Nodes type_parameters = ReadTypeParameters();
  ExprVector bases;
  Keywords keywords;
  if (Is(Tok::kOpenParen)) ReadArguments(bases, keywords);
  const Exprs base_list = Copy(bases);
  const Stmts body = ReadBlock();
  return Make<ClassDef>(begin, name, base_list, keywords, body, decorators, type_parameters);
}

/// Reads "[T: int = str, *Ts, **P]", if present.
Nodes Parser::ReadTypeParameters() {
  llvm::SmallVector<Node*, 4> parameters;
  if (!Accept(Tok::kOpenBracket)) return {};
  const auto read_default = [&]() -> Expr* {
    if (!Accept(Tok::kEqual)) return nullptr;
    return Is(Tok::kStar) ? ReadStarNamed() : ReadExpression();
  };
  while (!has_failed_ && !Is(Tok::kCloseBracket)) {
    const uint32_t begin = tok_.begin;
    const bool is_star = Accept(Tok::kStar);
    const bool is_double = !is_star && Accept(Tok::kDoubleStar);
    const std::string_view name = ExpectName();
    Expr* const bound = !is_star && !is_double && Accept(Tok::kColon) ? ReadExpression() : nullptr;
    Expr* const value = read_default();
    if (is_star) {
      parameters.push_back(Make<TypeVarTuple>(begin, name, value));
    } else if (is_double) {
      parameters.push_back(Make<ParamSpec>(begin, name, value));
    } else {
      parameters.push_back(Make<TypeVar>(begin, name, bound, value));
    }
    if (!Accept(Tok::kComma)) break;
  }
  Expect(Tok::kCloseBracket, "']' expected");
  return Copy(parameters);
}

Stmt* Parser::ReadSimple() {
  const uint32_t begin = tok_.begin;
  const auto is_at_end = [&] { return Is(Tok::kNewline) || Is(Tok::kSemicolon) || Is(Tok::kEnd); };
  switch (tok_.kind) {
    case Tok::kPass:
      Advance();
      return Make<Pass>(begin);
    case Tok::kBreak:
      Advance();
      return Make<Break>(begin);
    case Tok::kContinue:
      Advance();
      return Make<Continue>(begin);
    case Tok::kReturn: {
      Advance();
      Expr* const value = is_at_end() ? nullptr : ReadStarExpressions();
      return Make<Return>(begin, value);
    }
    case Tok::kRaise: {
      Advance();
      Expr* const raised = is_at_end() ? nullptr : ReadExpression();
      Expr* const cause = Accept(Tok::kFrom) ? ReadExpression() : nullptr;
      return Make<Raise>(begin, raised, cause);
    }
    case Tok::kGlobal:
      Advance();
      return Make<Global>(begin, ReadNames());
    case Tok::kNonlocal:
      Advance();
      return Make<Nonlocal>(begin, ReadNames());
    case Tok::kDel: {
      Advance();
      ExprVector targets;
      do {
        targets.push_back(ReadPrimary());
      } while (Accept(Tok::kComma) && !is_at_end());
      return Make<Delete>(begin, Exprs(Copy(targets)));
    }
    case Tok::kAssert: {
      Advance();
      Expr* const test = ReadExpression();
      Expr* const message = Accept(Tok::kComma) ? ReadExpression() : nullptr;
      return Make<Assert>(begin, test, message);
    }
    case Tok::kImport:
      return ReadImport();
    case Tok::kFrom:
      return ReadImportFrom();
    case Tok::kIndent:
      return Fail("unexpected indent");
    default:
      if (IsWord("type") && Ahead().kind == Tok::kName) return ReadTypeAlias();
      return ReadExpressionStatement();
  }
}

/// Reads an expression statement or any kind of assignment.
Stmt* Parser::ReadExpressionStatement() {
  const uint32_t begin = tok_.begin;
  const bool is_parenthesized = Is(Tok::kOpenParen);
  Expr* const first = ReadYieldOrStar();
  if (Is(Tok::kColon)) {
    Advance();
    Expr* const annotation = ReadElement(Tok::kEqual, &Parser::ReadExpression);
    Expr* const value = Accept(Tok::kEqual) ? ReadYieldOrStar() : nullptr;
    const bool is_target = !has_failed_ && (llvm::isa<Name>(first) || llvm::isa<Attribute>(first) ||
                                            llvm::isa<Subscript>(first));
    if (!is_target) return Fail("this has no annotation");
    const int is_simple = llvm::isa<Name>(first) && !is_parenthesized ? 1 : 0;
    return Make<AnnAssign>(begin, first, annotation, value, is_simple);
  }
  if (IsAugmented(tok_.kind)) {
    const size_t index = static_cast<size_t>(tok_.kind) - static_cast<size_t>(Tok::kPlusEqual);
    Advance();
    Expr* const value = ReadYieldOrStar();
    return Make<AugAssign>(begin, first, kAugmented[index], value);
  }
  if (!Is(Tok::kEqual)) return Make<ExprStmt>(begin, first);
  ExprVector parts = {first};
  while (Accept(Tok::kEqual)) parts.push_back(ReadYieldOrStar());
  Expr* const value = parts.pop_back_val();
  return Make<Assign>(begin, Exprs(Copy(parts)), value);
}

Stmt* Parser::ReadTypeAlias() {
  const uint32_t begin = tok_.begin;
  Advance();
  const uint32_t name_begin = tok_.begin;
  Expr* const name = Make<Name>(name_begin, ExpectName());
  const Nodes type_parameters = ReadTypeParameters();
  Expect(Tok::kEqual, "'=' expected");
  Expr* const value = ReadExpression();
  return Make<TypeAlias>(begin, name, type_parameters, value);
}

Names Parser::ReadNames() {
  llvm::SmallVector<std::string_view, 4> names;
  do {
    names.push_back(ExpectName());
  } while (Accept(Tok::kComma));
  return Copy(names);
}

/// Reads "a.b.c", without whitespace between its parts.
std::string_view Parser::ReadDottedName() {
  const uint32_t begin = tok_.begin;
  size_t size = ExpectName().size();
  while (Accept(Tok::kDot)) size += 1 + ExpectName().size();
  if (has_failed_) return {};
  const std::string_view spelled = text_.substr(begin, last_end_ - begin);
  if (spelled.size() == size) return spelled;
  std::string name;
  for (const char c : spelled) {
    if (!IsBlankChar(c) && c != '\\') name.push_back(c);
  }
  return CopyText(name);
}

Alias* Parser::ReadAlias(bool is_dotted) {
  const uint32_t begin = tok_.begin;
  const std::string_view name = is_dotted ? ReadDottedName() : ExpectName();
  const std::string_view as_name = Accept(Tok::kAs) ? ExpectName() : std::string_view();
  return Make<Alias>(begin, name, as_name);
}

Stmt* Parser::ReadImport() {
  const uint32_t begin = tok_.begin;
  Advance();
  llvm::SmallVector<Alias*, 4> names;
  do {
    names.push_back(ReadAlias(/*is_dotted=*/true));
  } while (Accept(Tok::kComma));
  return Make<Import>(begin, Aliases(Copy(names)));
}

Stmt* Parser::ReadImportFrom() {
  const uint32_t begin = tok_.begin;
  Advance();
  int level = 0;
  while (Is(Tok::kDot) || Is(Tok::kEllipsis)) {
    level += Is(Tok::kDot) ? 1 : 3;
    Advance();
  }
  const bool has_module = level == 0 || !Is(Tok::kImport);
  const std::string_view module = has_module ? ReadDottedName() : std::string_view();
  Expect(Tok::kImport, "'import' expected");
  llvm::SmallVector<Alias*, 8> names;
  const uint32_t star_begin = tok_.begin;
  if (Accept(Tok::kStar)) {
    names.push_back(Make<Alias>(star_begin, std::string_view("*"), std::string_view()));
  } else {
    const bool is_parenthesized = Accept(Tok::kOpenParen);
    do {
      names.push_back(ReadAlias(/*is_dotted=*/false));
    } while (Accept(Tok::kComma) && !Is(Tok::kCloseParen));
    if (is_parenthesized) Expect(Tok::kCloseParen, "')' expected");
  }
  return Make<ImportFrom>(begin, module, Aliases(Copy(names)), level);
}

/// Null: "match" is a name here, and nothing was read.
Stmt* Parser::ReadMatch() {
  const uint32_t begin = tok_.begin;
  Expr* subject = nullptr;
  const bool is_match = Attempt([&] {
    Advance();
    subject = ReadTuple(&Parser::ReadStarNamed);
    return Is(Tok::kColon) && Ahead().kind == Tok::kNewline;
  });
  if (!is_match) return nullptr;
  Advance();
  Advance();
  Expect(Tok::kIndent, "an indented block is expected");
  llvm::SmallVector<MatchCase*, 8> cases;
  while (!has_failed_ && !Is(Tok::kDedent) && !Is(Tok::kEnd)) {
    const uint32_t case_begin = tok_.begin;
    if (!IsWord("case")) Fail("'case' expected");
    Advance();
    Node* const pattern = ReadPatterns();
    Expr* const guard = Accept(Tok::kIf) ? ReadNamed() : nullptr;
    const Stmts body = ReadBlock();
    if (has_failed_) {
      llvm::SmallVector<Stmt*, 1> dropped;
      Recover(case_begin, dropped);
    } else {
      cases.push_back(Make<MatchCase>(case_begin, pattern, guard, body));
    }
  }
  Accept(Tok::kDedent);
  return Make<Match>(begin, subject, MatchCases(Copy(cases)));
}

}  // namespace shapewise::pyast
