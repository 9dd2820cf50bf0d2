// Parses Python expressions.

#include <array>

#include "pyast/parser_nodes.h"
#include "support/text_scan.h"

namespace shapewise::pyast {
namespace {

// Precedence of operators.
enum Level : int8_t {
  kNoOperator = 0,
  kOrLevel,
  kAndLevel,
  kNotLevel,
  kCompareLevel,
  kPipeLevel,
  kCaretLevel,
  kAmpersandLevel,
  kShiftLevel,
  kSumLevel,
  kTermLevel,
  kUnaryLevel,
  kPowerLevel,
};

struct OperatorRow {
  Level level = kNoOperator;
  Operator op = Operator::kAnd;
};

struct BinaryRow {
  Tok token;
  OperatorRow row;
};

constexpr BinaryRow kBinaryRows[] = {
    {Tok::kOr, {kOrLevel, Operator::kOr}},
    {Tok::kAnd, {kAndLevel, Operator::kAnd}},
    {Tok::kNot, {kCompareLevel, Operator::kNotIn}},
    {Tok::kIn, {kCompareLevel, Operator::kIn}},
    {Tok::kIs, {kCompareLevel, Operator::kIs}},
    {Tok::kEqualEqual, {kCompareLevel, Operator::kEq}},
    {Tok::kNotEqual, {kCompareLevel, Operator::kNotEq}},
    {Tok::kLess, {kCompareLevel, Operator::kLt}},
    {Tok::kLessEqual, {kCompareLevel, Operator::kLtE}},
    {Tok::kGreater, {kCompareLevel, Operator::kGt}},
    {Tok::kGreaterEqual, {kCompareLevel, Operator::kGtE}},
    {Tok::kPipe, {kPipeLevel, Operator::kBitOr}},
    {Tok::kCaret, {kCaretLevel, Operator::kBitXor}},
    {Tok::kAmpersand, {kAmpersandLevel, Operator::kBitAnd}},
    {Tok::kLeftShift, {kShiftLevel, Operator::kLShift}},
    {Tok::kRightShift, {kShiftLevel, Operator::kRShift}},
    {Tok::kPlus, {kSumLevel, Operator::kAdd}},
    {Tok::kMinus, {kSumLevel, Operator::kSub}},
    {Tok::kStar, {kTermLevel, Operator::kMult}},
    {Tok::kSlash, {kTermLevel, Operator::kDiv}},
    {Tok::kDoubleSlash, {kTermLevel, Operator::kFloorDiv}},
    {Tok::kPercent, {kTermLevel, Operator::kMod}},
    {Tok::kAt, {kTermLevel, Operator::kMatMult}},
    {Tok::kDoubleStar, {kPowerLevel, Operator::kPow}},
};

/// kBinaryRows by token.
constexpr auto kBinaryOperators = [] {
  std::array<OperatorRow, 256> table{};
  for (const BinaryRow& row : kBinaryRows) table[static_cast<size_t>(row.token)] = row.row;
  return table;
}();

OperatorRow RowOf(Tok token) { return kBinaryOperators[static_cast<size_t>(token)]; }

/// Whether `token` cannot begin another expression of an unparenthesized tuple.
bool EndsTuple(Tok token) {
  switch (token) {
    case Tok::kEnd:
    case Tok::kNewline:
    case Tok::kError:
    case Tok::kSemicolon:
    case Tok::kEqual:
    case Tok::kColon:
    case Tok::kCloseParen:
    case Tok::kCloseBracket:
    case Tok::kCloseBrace:
    case Tok::kExclamation:
    case Tok::kIn:
      return true;
    default:
      return token >= Tok::kPlusEqual && token <= Tok::kDoubleSlashEqual;
  }
}

/// Whether an element between commas ends before `token`.
bool EndsElement(Tok token) {
  switch (token) {
    case Tok::kEnd:
    case Tok::kNewline:
    case Tok::kSemicolon:
    case Tok::kComma:
    case Tok::kCloseParen:
    case Tok::kCloseBracket:
    case Tok::kCloseBrace:
      return true;
    default:
      return false;
  }
}

}  // namespace

/// Skips text that is not an expression, to the end of the element.
Expr* Parser::SkipElement(uint32_t begin, Tok end) {
  // If a bracket is not closed, the outer ones are not either.
  if (is_unclosed_) return Fail("closing bracket expected");
  size_t depth = 0;
  while (!Is(Tok::kEnd) && !Is(Tok::kNewline) &&
         (depth > 0 || !(EndsElement(tok_.kind) || Is(end)))) {
    if (Is(Tok::kCloseParen) || Is(Tok::kCloseBracket) || Is(Tok::kCloseBrace)) --depth;
    if (Is(Tok::kOpenParen) || Is(Tok::kOpenBracket) || Is(Tok::kOpenBrace)) ++depth;
    Advance();
  }
  is_unclosed_ = depth > 0;
  if (is_unclosed_ || last_end_ <= begin) return Fail("expression expected");
  return Make<ErrorExpr>(begin);
}

/// Reads an expression between commas; `end` also ends it. In printed text, anything else becomes
/// an ErrorExpr.
Expr* Parser::ReadElement(Tok end, Reader read) {
  if (!options_.is_printed) return (this->*read)();
  Expr* element = nullptr;
  const uint32_t begin = tok_.begin;
  const bool is_read = Attempt([&] {
    element = (this->*read)();
    return EndsElement(tok_.kind) || Is(end);
  });
  return is_read ? element : SkipElement(begin, end);
}

/// Reads an expression, or a tuple without parentheses.
Expr* Parser::ReadTuple(Reader read) {
  const uint32_t begin = tok_.begin;
  Expr* const first = (this->*read)();
  if (!Is(Tok::kComma)) return first;
  ExprVector parts = {first};
  while (Accept(Tok::kComma) && !EndsTuple(tok_.kind)) parts.push_back((this->*read)());
  return Make<Tuple>(begin, Copy(parts));
}

Expr* Parser::ReadStarExpression() {
  const uint32_t begin = tok_.begin;
  if (!Accept(Tok::kStar)) return ReadExpression();
  return Make<Starred>(begin, ReadBinary(kPipeLevel));
}

Expr* Parser::ReadStarExpressions() { return ReadTuple(&Parser::ReadStarExpression); }

Expr* Parser::ReadYieldOrStar() { return Is(Tok::kYield) ? ReadYield() : ReadStarExpressions(); }

Expr* Parser::ReadTarget() {
  const uint32_t begin = tok_.begin;
  if (!Accept(Tok::kStar)) return ReadBinary(kPipeLevel);
  return Make<Starred>(begin, ReadBinary(kPipeLevel));
}

/// Reads the targets of "for", up to "in".
Expr* Parser::ReadTargets() { return ReadTuple(&Parser::ReadTarget); }

Expr* Parser::ReadExpression() {
  // Fast path: most expressions are one token.
  const bool is_token = Is(Tok::kName) || Is(Tok::kNumber);
  if (is_token && EndsElement(Ahead().kind)) return ReadAtom();
  const llvm::SaveAndRestore deeper(depth_, depth_ + 1);
  if (depth_ > kMaxDepth) return Fail("nested too deeply");
  if (Is(Tok::kLambda)) return ReadLambda();
  const uint32_t begin = tok_.begin;
  Expr* const body = ReadBinary(kOrLevel);
  if (!Is(Tok::kIf)) return body;
  Advance();
  Expr* const test = ReadBinary(kOrLevel);
  Expect(Tok::kElse, "'else' expected");
  Expr* const orelse = ReadExpression();
  return Make<IfExp>(begin, test, body, orelse);
}

/// Reads an expression, or "name := expression".
Expr* Parser::ReadNamed() {
  const uint32_t begin = tok_.begin;
  Expr* const target = ReadExpression();
  if (!Is(Tok::kColonEqual)) return target;
  if (!has_failed_ && !llvm::isa<Name>(target)) return Fail("a name is expected before ':='");
  Advance();
  return Make<NamedExpr>(begin, target, ReadExpression());
}

Expr* Parser::ReadStarNamed() {
  const uint32_t begin = tok_.begin;
  if (!Accept(Tok::kStar)) return ReadNamed();
  return Make<Starred>(begin, ReadBinary(kPipeLevel));
}

/// Reads operands and operators with at least precedence `level`.
Expr* Parser::ReadBinary(int level) {
  const uint32_t begin = tok_.begin;
  Expr* left = ReadUnary(level);
  while (true) {
    const OperatorRow row = RowOf(tok_.kind);
    if (row.level == kNoOperator || row.level < level) return left;
    if (row.level == kCompareLevel) {
      if (Is(Tok::kNot) && Ahead().kind != Tok::kIn) return left;
      left = ReadCompare(left, begin);
    } else if (row.level <= kAndLevel) {
      left = ReadBoolOp(left, begin, tok_.kind);
    } else {
      Advance();
      // "**" is right-associative, and binds less tightly than a sign on its right.
      Expr* const right =
          row.level == kPowerLevel ? ReadBinary(kUnaryLevel) : ReadBinary(row.level + 1);
      left = Make<BinOp>(begin, left, row.op, right);
    }
  }
}

Expr* Parser::ReadBoolOp(Expr* left, uint32_t begin, Tok op) {
  ExprVector values = {left};
  const OperatorRow row = RowOf(op);
  while (Accept(op)) values.push_back(ReadBinary(row.level + 1));
  return Make<BoolOp>(begin, row.op, Copy(values));
}

Expr* Parser::ReadCompare(Expr* left, uint32_t begin) {
  llvm::SmallVector<Operator, 4> ops;
  ExprVector comparators;
  while (true) {
    const OperatorRow row = RowOf(tok_.kind);
    if (row.level != kCompareLevel || (Is(Tok::kNot) && Ahead().kind != Tok::kIn)) break;
    Operator op = row.op;
    Advance();
    if (op == Operator::kNotIn) Advance();
    if (op == Operator::kIs && Accept(Tok::kNot)) op = Operator::kIsNot;
    ops.push_back(op);
    comparators.push_back(ReadBinary(kPipeLevel));
  }
  return Make<Compare>(begin, left, Copy(ops), Copy(comparators));
}

Expr* Parser::ReadUnary(int level) {
  const uint32_t begin = tok_.begin;
  Operator op = Operator::kNot;
  int operand_level = kUnaryLevel;
  switch (tok_.kind) {
    case Tok::kNot:
      if (level > kNotLevel) return Fail("expression expected");
      operand_level = kNotLevel;
      break;
    case Tok::kMinus:
      op = Operator::kUSub;
      break;
    case Tok::kPlus:
      op = Operator::kUAdd;
      break;
    case Tok::kTilde:
      op = Operator::kInvert;
      break;
    case Tok::kAwait:
      Advance();
      return Make<Await>(begin, ReadPrimary());
    default:
      return ReadPrimary();
  }
  const llvm::SaveAndRestore deeper(depth_, depth_ + 1);
  if (depth_ > kMaxDepth) return Fail("nested too deeply");
  Advance();
  return Make<UnaryOp>(begin, op, ReadBinary(operand_level));
}

Expr* Parser::ReadPrimary() {
  const uint32_t begin = tok_.begin;
  Expr* value = ReadAtom();
  while (true) {
    if (Accept(Tok::kDot)) {
      value = Make<Attribute>(begin, value, ExpectName());
    } else if (Is(Tok::kOpenParen)) {
      value = ReadCall(value, begin);
    } else if (Is(Tok::kOpenBracket)) {
      value = ReadSubscript(value, begin);
    } else {
      return value;
    }
  }
}

Expr* Parser::ReadAtom() {
  const Token token = tok_;
  const auto constant = [&](ConstantKind kind) {
    Advance();
    return Make<Constant>(token.begin, kind, std::string_view());
  };
  switch (token.kind) {
    case Tok::kName:
      Advance();
      return Make<Name>(token.begin, NameOf(token));
    case Tok::kNumber:
      return ReadNumber();
    case Tok::kString:
    case Tok::kFStringStart:
      return ReadStrings();
    case Tok::kNone:
      return constant(ConstantKind::kNone);
    case Tok::kTrue:
      return constant(ConstantKind::kTrue);
    case Tok::kFalse:
      return constant(ConstantKind::kFalse);
    case Tok::kEllipsis:
      return constant(ConstantKind::kEllipsis);
    case Tok::kOpenParen:
      return ReadParenthesized();
    case Tok::kOpenBracket:
      return ReadListDisplay();
    case Tok::kOpenBrace:
      return ReadBraces();
    default:
      break;
  }
  return Fail("expression expected");
}

Expr* Parser::ReadNumber() {
  const Token token = tok_;
  const std::string_view text = Text(token);
  Advance();
  const bool is_based =
      text[0] == '0' && text.size() > 1 && std::string_view("xXoObB").find(text[1]) != kNotFound;
  ConstantKind kind = ConstantKind::kInt;
  if (!is_based && (text.back() | 0x20) == 'j') {
    kind = ConstantKind::kComplex;
  } else if (!is_based && text.find_first_of(".eE") != kNotFound) {
    kind = ConstantKind::kFloat;
  }
  return Make<Constant>(token.begin, kind, text);
}

Expr* Parser::ReadLambda() {
  const uint32_t begin = tok_.begin;
  Advance();
  Arguments* const arguments = ReadParameters(Tok::kColon, /*has_annotations=*/false);
  Expect(Tok::kColon, "':' expected");
  Expr* const body = ReadExpression();
  return Make<Lambda>(begin, arguments, body);
}

Expr* Parser::ReadYield() {
  const uint32_t begin = tok_.begin;
  Advance();
  if (Accept(Tok::kFrom)) return Make<YieldFrom>(begin, ReadExpression());
  Expr* const value = EndsTuple(tok_.kind) ? nullptr : ReadStarExpressions();
  return Make<Yield>(begin, value);
}

/// "(x)" is x; "()", "(x,)" and "(x, y)" are tuples; "(x for x in y)" is a generator.
Expr* Parser::ReadParenthesized() {
  const uint32_t begin = tok_.begin;
  Advance();
  if (Accept(Tok::kCloseParen)) return Make<Tuple>(begin, Exprs());
  Expr* const first =
      Is(Tok::kYield) ? ReadYield() : ReadElement(Tok::kComma, &Parser::ReadStarNamed);
  if (IsComprehension()) {
    const Comprehensions generators = ReadComprehensions();
    Expect(Tok::kCloseParen, "')' expected");
    return Make<GeneratorExp>(begin, first, generators);
  }
  if (Accept(Tok::kCloseParen)) {
    if (!has_failed_ && llvm::isa<Starred>(first)) return Fail("',' expected");
    return first;
  }
  ExprVector parts = {first};
  while (Accept(Tok::kComma) && !Is(Tok::kCloseParen)) {
    parts.push_back(ReadElement(Tok::kComma, &Parser::ReadStarNamed));
  }
  Expect(Tok::kCloseParen, "')' expected");
  return Make<Tuple>(begin, Copy(parts));
}

Expr* Parser::ReadListDisplay() {
  const uint32_t begin = tok_.begin;
  Advance();
  ExprVector parts;
  while (!has_failed_ && !Is(Tok::kCloseBracket)) {
    parts.push_back(ReadElement(Tok::kComma, &Parser::ReadStarNamed));
    if (parts.size() == 1 && IsComprehension()) {
      const Comprehensions generators = ReadComprehensions();
      Expect(Tok::kCloseBracket, "']' expected");
      return Make<ListComp>(begin, parts[0], generators);
    }
    if (!Accept(Tok::kComma)) break;
  }
  Expect(Tok::kCloseBracket, "']' expected");
  return Make<List>(begin, Copy(parts));
}

/// Reads a dict, a set, or a comprehension of either.
Expr* Parser::ReadBraces() {
  const uint32_t begin = tok_.begin;
  Advance();
  ExprVector keys;
  ExprVector values;
  bool is_dict = Is(Tok::kCloseBrace);
  while (!has_failed_ && !Is(Tok::kCloseBrace)) {
    if (Accept(Tok::kDoubleStar)) {
      is_dict = true;
      keys.push_back(nullptr);
      values.push_back(ReadBinary(kPipeLevel));
    } else {
      keys.push_back(ReadElement(Tok::kColon, &Parser::ReadStarNamed));
      if (Accept(Tok::kColon)) {
        is_dict = true;
        values.push_back(ReadElement(Tok::kComma, &Parser::ReadExpression));
      }
    }
    if (keys.size() == 1 && IsComprehension()) {
      const Comprehensions generators = ReadComprehensions();
      Expect(Tok::kCloseBrace, "'}' expected");
      if (!is_dict) return Make<SetComp>(begin, keys[0], generators);
      return Make<DictComp>(begin, keys[0], values[0], generators);
    }
    if (!Accept(Tok::kComma)) break;
  }
  Expect(Tok::kCloseBrace, "'}' expected");
  if (is_dict && keys.size() != values.size()) return Fail("':' expected");
  if (!is_dict) return Make<Set>(begin, Copy(keys));
  return Make<Dict>(begin, Copy(keys), Copy(values));
}

Comprehensions Parser::ReadComprehensions() {
  llvm::SmallVector<Comprehension*, 2> clauses;
  while (IsComprehension()) {
    const uint32_t begin = tok_.begin;
    const int is_async = Accept(Tok::kAsync) ? 1 : 0;
    Advance();
    Expr* const target = ReadTargets();
    Expect(Tok::kIn, "'in' expected");
    Expr* const iterated = ReadBinary(kOrLevel);
    ExprVector conditions;
    while (Accept(Tok::kIf)) conditions.push_back(ReadBinary(kOrLevel));
    clauses.push_back(Make<Comprehension>(begin, target, iterated, Copy(conditions), is_async));
  }
  return Copy(clauses);
}

Expr* Parser::ReadCall(Expr* function, uint32_t begin) {
  ExprVector arguments;
  Keywords keywords;
  ReadArguments(arguments, keywords);
  return Make<Call>(begin, function, Copy(arguments), keywords);
}

/// Reads arguments in the parentheses of a call, or after the name of a class.
void Parser::ReadArguments(ExprVector& arguments, Keywords& keywords) {
  const uint32_t open = tok_.begin;
  Expect(Tok::kOpenParen, "'(' expected");
  llvm::SmallVector<Keyword*, 4> named;
  while (!has_failed_ && !Is(Tok::kCloseParen)) {
    const uint32_t begin = tok_.begin;
    if (Accept(Tok::kDoubleStar)) {
      Expr* const value = ReadElement(Tok::kComma, &Parser::ReadExpression);
      named.push_back(Make<Keyword>(begin, std::string_view(), value));
    } else if (Accept(Tok::kStar)) {
      Expr* const value = ReadElement(Tok::kComma, &Parser::ReadExpression);
      arguments.push_back(Make<Starred>(begin, value));
    } else if (Is(Tok::kName) && Ahead().kind == Tok::kEqual) {
      const std::string_view name = ExpectName();
      Advance();
      Expr* const value = ReadElement(Tok::kComma, &Parser::ReadExpression);
      named.push_back(Make<Keyword>(begin, name, value));
    } else {
      arguments.push_back(ReadElement(Tok::kComma, &Parser::ReadNamed));
      if (arguments.size() == 1 && IsComprehension()) {
        const Comprehensions generators = ReadComprehensions();
        Expect(Tok::kCloseParen, "')' expected");
        arguments[0] = Make<GeneratorExp>(open, arguments[0], generators);
        keywords = Copy(named);
        return;
      }
    }
    if (!Accept(Tok::kComma)) break;
  }
  keywords = Copy(named);
  Expect(Tok::kCloseParen, "')' expected");
}

Expr* Parser::ReadSubscript(Expr* value, uint32_t begin) {
  Advance();
  const uint32_t first_begin = tok_.begin;
  Expr* index = nullptr;
  if (options_.is_printed && Is(Tok::kCloseBracket)) {
    index = Make<Tuple>(first_begin, Exprs());
  } else {
    index = ReadSlice();
    if (Is(Tok::kComma) || (!has_failed_ && llvm::isa<Starred>(index))) {
      ExprVector parts = {index};
      while (Accept(Tok::kComma) && !Is(Tok::kCloseBracket)) parts.push_back(ReadSlice());
      index = Make<Tuple>(first_begin, Copy(parts));
    }
  }
  Expect(Tok::kCloseBracket, "']' expected");
  return Make<Subscript>(begin, value, index);
}

/// Reads one part of a subscript: "x", "x:y", "x:y:z", "*x".
Expr* Parser::ReadSlice() {
  const uint32_t begin = tok_.begin;
  const auto is_at_end = [&] {
    return Is(Tok::kColon) || Is(Tok::kComma) || Is(Tok::kCloseBracket);
  };
  const auto read = [&] { return ReadElement(Tok::kColon, &Parser::ReadStarNamed); };
  Expr* const lower = Is(Tok::kColon) ? nullptr : read();
  if (!Accept(Tok::kColon)) return lower;
  Expr* const upper = is_at_end() ? nullptr : read();
  Expr* step = nullptr;
  if (Accept(Tok::kColon) && !is_at_end()) step = read();
  return Make<Slice>(begin, lower, upper, step);
}

/// Reads the parameters of a function or lambda, up to `close`.
Arguments* Parser::ReadParameters(Tok close, bool has_annotations) {
  const uint32_t begin = tok_.begin;
  llvm::SmallVector<Arg*, 8> positional_only;
  llvm::SmallVector<Arg*, 8> normal;
  llvm::SmallVector<Arg*, 4> keyword_only;
  ExprVector defaults;
  ExprVector keyword_defaults;
  Arg* stars[2] = {nullptr, nullptr};
  bool is_after_star = false;
  const auto read_name = [&](bool may_be_starred) {
    const uint32_t name_begin = tok_.begin;
    const std::string_view name = ExpectName();
    Expr* annotation = nullptr;
    if (has_annotations && Accept(Tok::kColon)) {
      annotation = ReadElement(
          Tok::kEqual, may_be_starred ? &Parser::ReadStarExpression : &Parser::ReadExpression);
    }
    return Make<Arg>(name_begin, name, annotation);
  };
  while (!has_failed_ && !Is(close)) {
    if (Accept(Tok::kSlash)) {
      positional_only = std::exchange(normal, {});
    } else if (Accept(Tok::kDoubleStar)) {
      stars[1] = read_name(false);
    } else if (Accept(Tok::kStar)) {
      is_after_star = true;
      if (!Is(Tok::kComma)) stars[0] = read_name(true);
    } else {
      Arg* const arg = read_name(false);
      Expr* value = nullptr;
      if (Accept(Tok::kEqual)) {
        value = ReadElement(Tok::kComma, &Parser::ReadExpression);
      }
      (is_after_star ? keyword_only : static_cast<llvm::SmallVectorImpl<Arg*>&>(normal))
          .push_back(arg);
      if (is_after_star) keyword_defaults.push_back(value);
      if (!is_after_star && value != nullptr) defaults.push_back(value);
    }
    if (!Accept(Tok::kComma)) break;
  }
  return Make<Arguments>(begin, Copy(positional_only), Copy(normal), stars[0], Copy(keyword_only),
                         Copy(keyword_defaults), stars[1], Copy(defaults));
}

}  // namespace shapewise::pyast
