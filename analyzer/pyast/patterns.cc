// Parses patterns of `case`.

#include "pyast/parser_nodes.h"

namespace shapewise::pyast {

/// Reads a pattern, or a sequence without brackets.
Node* Parser::ReadPatterns() {
  const uint32_t begin = tok_.begin;
  Node* const first = ReadMaybeStarPattern();
  const bool is_star = !has_failed_ && llvm::isa<MatchStar>(first);
  if (!Is(Tok::kComma) && !is_star) return first;
  llvm::SmallVector<Node*, 4> parts = {first};
  while (Accept(Tok::kComma) && !Is(Tok::kColon) && !Is(Tok::kIf)) {
    parts.push_back(ReadMaybeStarPattern());
  }
  return Make<MatchSequence>(begin, Nodes(Copy(parts)));
}

Node* Parser::ReadMaybeStarPattern() {
  const uint32_t begin = tok_.begin;
  if (!Accept(Tok::kStar)) return ReadPattern();
  const std::string_view name = ExpectName();
  return Make<MatchStar>(begin, name == "_" ? std::string_view() : name);
}

/// "a | b as c"
Node* Parser::ReadPattern() {
  const uint32_t begin = tok_.begin;
  Node* pattern = ReadClosedPattern();
  if (Is(Tok::kPipe)) {
    llvm::SmallVector<Node*, 4> parts = {pattern};
    while (Accept(Tok::kPipe)) parts.push_back(ReadClosedPattern());
    pattern = Make<MatchOr>(begin, Nodes(Copy(parts)));
  }
  if (!Accept(Tok::kAs)) return pattern;
  return Make<MatchAs>(begin, pattern, ExpectName());
}

/// Reads patterns up to `close`, inclusive.
Nodes Parser::ReadPatternList(Tok close, bool& has_comma) {
  llvm::SmallVector<Node*, 4> parts;
  while (!has_failed_ && !Is(close)) {
    parts.push_back(ReadMaybeStarPattern());
    if (!Accept(Tok::kComma)) break;
    has_comma = true;
  }
  Expect(close, "closing bracket expected");
  return Copy(parts);
}

Node* Parser::ReadClosedPattern() {
  const llvm::SaveAndRestore deeper(depth_, depth_ + 1);
  if (depth_ > kMaxDepth) return Fail("nested too deeply");
  const uint32_t begin = tok_.begin;
  const auto singleton = [&](ConstantKind kind) {
    Advance();
    return Make<MatchSingleton>(begin, kind);
  };
  switch (tok_.kind) {
    case Tok::kNone:
      return singleton(ConstantKind::kNone);
    case Tok::kTrue:
      return singleton(ConstantKind::kTrue);
    case Tok::kFalse:
      return singleton(ConstantKind::kFalse);
    case Tok::kNumber:
    case Tok::kMinus: {
      Expr* const number = ReadPatternNumber();
      return Make<MatchValue>(begin, number);
    }
    case Tok::kString:
    case Tok::kFStringStart: {
      Expr* const text = ReadStrings();
      return Make<MatchValue>(begin, text);
    }
    case Tok::kOpenParen:
    case Tok::kOpenBracket: {
      const bool is_group = Is(Tok::kOpenParen);
      Advance();
      bool has_comma = false;
      const Nodes parts =
          ReadPatternList(is_group ? Tok::kCloseParen : Tok::kCloseBracket, has_comma);
      const bool is_one = is_group && parts.size() == 1 && !has_comma && !has_failed_ &&
                          !llvm::isa<MatchStar>(parts[0]);
      if (is_one) return parts[0];
      return Make<MatchSequence>(begin, parts);
    }
    case Tok::kOpenBrace:
      return ReadMappingPattern();
    case Tok::kName:
      return ReadNamePattern();
    default:
      return Fail("pattern expected");
  }
}

/// "-1", "1 + 2j"
Expr* Parser::ReadPatternNumber() {
  const uint32_t begin = tok_.begin;
  const auto read_signed = [&]() -> Expr* {
    const uint32_t sign_begin = tok_.begin;
    const bool is_negative = Accept(Tok::kMinus);
    if (!Is(Tok::kNumber)) return Fail("number expected");
    Expr* const number = ReadNumber();
    return is_negative ? Make<UnaryOp>(sign_begin, Operator::kUSub, number) : number;
  };
  Expr* const left = read_signed();
  if (!Is(Tok::kPlus) && !Is(Tok::kMinus)) return left;
  const Operator op = Is(Tok::kPlus) ? Operator::kAdd : Operator::kSub;
  Advance();
  Expr* const right = read_signed();
  return Make<BinOp>(begin, left, op, right);
}

Node* Parser::ReadMappingPattern() {
  const uint32_t begin = tok_.begin;
  Advance();
  ExprVector keys;
  llvm::SmallVector<Node*, 4> patterns;
  std::string_view rest;
  while (!has_failed_ && !Is(Tok::kCloseBrace)) {
    if (Accept(Tok::kDoubleStar)) {
      rest = ExpectName();
    } else {
      const bool is_number = Is(Tok::kNumber) || Is(Tok::kMinus);
      keys.push_back(is_number ? ReadPatternNumber() : ReadPrimary());
      Expect(Tok::kColon, "':' expected");
      patterns.push_back(ReadPattern());
    }
    if (!Accept(Tok::kComma)) break;
  }
  Expect(Tok::kCloseBrace, "'}' expected");
  return Make<MatchMapping>(begin, Exprs(Copy(keys)), Nodes(Copy(patterns)), rest);
}

/// Reads a name to bind, a dotted name to compare with, or a class.
Node* Parser::ReadNamePattern() {
  const uint32_t begin = tok_.begin;
  const std::string_view name = ExpectName();
  Expr* value = Make<Name>(begin, name);
  while (Accept(Tok::kDot)) value = Make<Attribute>(begin, value, ExpectName());
  if (!Is(Tok::kOpenParen)) {
    if (!has_failed_ && llvm::isa<Attribute>(value)) return Make<MatchValue>(begin, value);
    return Make<MatchAs>(begin, static_cast<Node*>(nullptr),
                         name == "_" ? std::string_view() : name);
  }
  Advance();
  llvm::SmallVector<Node*, 4> patterns;
  llvm::SmallVector<std::string_view, 4> names;
  llvm::SmallVector<Node*, 4> named;
  while (!has_failed_ && !Is(Tok::kCloseParen)) {
    if (Is(Tok::kName) && Ahead().kind == Tok::kEqual) {
      names.push_back(ExpectName());
      Advance();
      named.push_back(ReadPattern());
    } else {
      patterns.push_back(ReadPattern());
    }
    if (!Accept(Tok::kComma)) break;
  }
  Expect(Tok::kCloseParen, "')' expected");
  return Make<MatchClass>(begin, value, Nodes(Copy(patterns)), Names(Copy(names)),
                          Nodes(Copy(named)));
}

}  // namespace shapewise::pyast
