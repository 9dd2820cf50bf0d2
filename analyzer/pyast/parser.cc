#include "pyast/parser.h"

#include <algorithm>

#include "pyast/parser_nodes.h"

namespace shapewise::pyast {

void Parser::Reset(std::string_view text, Lexer::Mode mode) {
  text_ = text;
  lexer_.Reset(text, mode, options_.is_printed);
  tokens_.assign(1, lexer_.Next());
  at_ = 0;
  tok_ = tokens_[0];
  last_end_ = 0;
  has_failed_ = is_trying_ = is_head_only_ = is_unclosed_ = false;
  depth_ = 0;
  faults_.clear();
}

void Parser::Advance() {
  if (has_failed_) return;
  switch (tok_.kind) {
    case Tok::kNewline:
    case Tok::kIndent:
    case Tok::kDedent:
    case Tok::kEnd:
      break;
    default:
      last_end_ = tok_.end;
  }
  if (++at_ == tokens_.size()) tokens_.push_back(lexer_.Next());
  tok_ = tokens_[at_];
}

/// The token after the current one.
Token Parser::Ahead() {
  if (has_failed_) return tok_;
  if (at_ + 1 == tokens_.size()) tokens_.push_back(lexer_.Next());
  return tokens_[at_ + 1];
}

bool Parser::Accept(Tok kind) {
  if (!Is(kind)) return false;
  Advance();
  return true;
}

void Parser::Expect(Tok kind, const char* message) {
  if (!Accept(kind)) Fail(message);
}

std::string_view Parser::ExpectName() {
  const Token token = tok_;
  if (!Accept(Tok::kName)) {
    Fail("name expected");
    return {};
  }
  return NameOf(token);
}

void Parser::AddFault(const char* message) {
  if (!is_trying_) faults_.push_back({{tok_.begin, tok_.end}, message});
}

/// After a failure, no reader finds an expected token, so all return.
std::nullptr_t Parser::Fail(const char* message) {
  if (!has_failed_) AddFault(message);
  has_failed_ = true;
  tok_.kind = Tok::kError;
  return nullptr;
}

const Module* Parser::ParseModule(std::string_view text, bool first_is_base) {
  Reset(text, first_is_base ? Lexer::Mode::kBlock : Lexer::Mode::kLines);
  llvm::SmallVector<Stmt*, 32> body;
  while (!Is(Tok::kEnd)) ReadLine(body);
  faults_.insert(faults_.end(), lexer_.faults().begin(), lexer_.faults().end());
  std::ranges::stable_sort(faults_, {}, [](const Fault& fault) { return fault.span.begin; });
  last_end_ = static_cast<uint32_t>(text.size());
  return Make<Module>(0, Stmts(Copy(body)));
}

const Stmt* Parser::ParseFirst(std::string_view text, size_t& end) {
  Reset(text, Lexer::Mode::kBlock);
  is_head_only_ = true;
  Stmt* statement = ReadCompound();
  if (statement == nullptr && !has_failed_) {
    statement = ReadSimple();
    if (!Is(Tok::kNewline) && !Is(Tok::kSemicolon)) return nullptr;
  }
  if (has_failed_) return nullptr;
  end = last_end_;
  return statement;
}

const Expr* Parser::ParseExpression(std::string_view text) {
  Reset(text, Lexer::Mode::kExpression);
  Expr* const expression = ReadStarExpressions();
  if (!Is(Tok::kEnd)) Fail("the expression goes on");
  return has_failed_ ? nullptr : expression;
}

const Call* Parser::ParseArguments(std::string_view text) {
  Reset(text, Lexer::Mode::kExpression);
  Expr* const call = ReadCall(nullptr, 0);
  return has_failed_ ? nullptr : llvm::cast<Call>(call);
}

LineIndex::LineIndex(std::string_view text) : begins_{0} {
  for (size_t at = 0; at < text.size(); ++at) {
    const bool is_end = text[at] == '\n' || (text[at] == '\r' && text.substr(at + 1, 1) != "\n");
    if (is_end) begins_.push_back(static_cast<uint32_t>(at + 1));
  }
}

uint32_t LineIndex::LineOf(uint32_t offset) const {
  return static_cast<uint32_t>(std::ranges::upper_bound(begins_, offset) - begins_.begin());
}

}  // namespace shapewise::pyast
