// Parses expressions: Python's operators by precedence, sympy's functions, sources as symbols.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "symbolic/expression.h"
#include "symbolic/expression_tokens.h"
#include "symbolic/storage.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;
using Kind = ExprToken::Kind;

constexpr uint32_t kMaxNesting = 256;

// PyTorch prints no longer ones; each token takes about 50 bytes of memory.
constexpr size_t kMaxTextBytes = size_t{256} << 10;
// Limit on the total nodes of all intermediate results, per token of the text.
constexpr size_t kWorkPerToken = 16;
constexpr size_t kFreeWork = 1U << 16U;

// Loosest first. Operands of one level are collected, not nested.
enum class Level : uint8_t {
  kTernary,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kSign,
};

Level Tighter(Level level) { return static_cast<Level>(static_cast<int>(level) + 1); }

struct OperatorLevel {
  std::string_view text;
  Level level;
};

constexpr auto kBinaryOperators = std::to_array<OperatorLevel>({
    {"+", Level::kSum},      {"-", Level::kSum},      {"*", Level::kProduct},
    {"//", Level::kProduct}, {"/", Level::kProduct},  {"%", Level::kProduct},
    {"==", Level::kCompare}, {"<=", Level::kCompare}, {">=", Level::kCompare},
    {"<", Level::kCompare},  {">", Level::kCompare},  {"!=", Level::kCompare},
    {"and", Level::kAnd},    {"or", Level::kOr},      {"&", Level::kBitAnd},
    {"|", Level::kBitOr},    {"^", Level::kBitXor},   {"<<", Level::kShift},
    {">>", Level::kShift},   {"&&", Level::kAnd},     {"||", Level::kOr},
    {"if", Level::kTernary},
});

// Modules of functions, as in "math.floor(x)"; other dotted names are sources.
constexpr auto kModules =
    std::to_array<std::string_view>({"math", "torch", "std", "c10", "sympy", "operator"});

// Words that cannot be a name in an expression.
constexpr auto kWords = std::to_array<std::string_view>(
    {"and", "or", "not", "if", "else", "is", "in", "lambda", "for", "None", "return"});

class Parser {
 public:
  Parser(ExprPool& pool, const Storage& storage, const ExprTokens& tokens)
      : pool_(pool), storage_(storage), tokens_(tokens) {}

  ExprId ParseAll() {
    const ExprId result = ParseLevel(Level::kTernary);
    return Peek().kind == Kind::kEnd ? result : ExprId::kNone;
  }

 private:
  const ExprToken& Peek() const { return tokens_[next_]; }
  bool IsAt(std::string_view text) const {
    return Peek().kind != Kind::kString && Peek().text == text;
  }
  bool Accept(std::string_view text) {
    if (!IsAt(text)) return false;
    ++next_;
    return true;
  }

  std::optional<Level> LevelOfNext() const {
    if (Peek().kind != Kind::kOperator && Peek().kind != Kind::kName) return std::nullopt;
    const auto* const found =
        std::ranges::find(kBinaryOperators, Peek().text, &OperatorLevel::text);
    return found == kBinaryOperators.end() ? std::nullopt : std::optional(found->level);
  }

  // Gives up on texts whose operations build longer and longer operands.
  ExprId Charged(ExprId result) {
    work_ += storage_.node(result).tree_size;
    return work_ <= kWorkPerToken * tokens_.size() + kFreeWork ? result : ExprId::kNone;
  }

  // Combines the operands pushed since `begin`.
  template <typename Build>
  ExprId Gather(size_t begin, Build build) {
    const ExprId result = build(std::span<const ExprId>(operands_).subspan(begin));
    operands_.truncate(begin);
    return Charged(result);
  }

  // Parses an expression whose operators bind at least as tightly as `least`. On failure returns
  // kNone, which every construction propagates, and stops at an unexpected token.
  ExprId ParseLevel(Level least) {
    ExprId left = ParseOperand(least);
    while (left != ExprId::kNone) {
      const std::optional<Level> level = LevelOfNext();
      if (!level || *level < least) return left;
      left = ParseOperators(left, *level);
    }
    return ExprId::kNone;
  }

  // Parses all operators of `level` after `left`, with their right operands.
  ExprId ParseOperators(ExprId left, Level level) {
    switch (level) {
      case Level::kTernary:
        return ParseTernary(left);
      case Level::kOr:
        return ParseLogic(left, level, ExprKind::kOr);
      case Level::kAnd:
        return ParseLogic(left, level, ExprKind::kAnd);
      case Level::kCompare:
        return ParseComparisons(left);
      case Level::kSum:
        return ParseSum(left);
      case Level::kProduct:
        return ParseProduct(left);
      default:
        return ParseBitwise(left, level);
    }
  }

  ExprId ParseTernary(ExprId value) {
    ++next_;
    const ExprId condition = ParseLevel(Level::kOr);
    if (condition == ExprId::kNone || !Accept("else")) return ExprId::kNone;
    if (++depth_ > kMaxNesting) return ExprId::kNone;
    const ExprId otherwise = ParseLevel(Level::kTernary);
    --depth_;
    return Charged(
        ApplyFunction(pool_, storage_, "Where", std::array{condition, value, otherwise}));
  }

  ExprId ParseLogic(ExprId left, Level level, ExprKind kind) {
    const size_t begin = operands_.size();
    operands_.push_back(left);
    while (LevelOfNext() == level) {
      ++next_;
      operands_.push_back(ParseLevel(Tighter(level)));
    }
    return Gather(begin, [&](auto operands) { return pool_.Fold(kind, operands); });
  }

  // a < b == c is a < b and b == c.
  ExprId ParseComparisons(ExprId left) {
    const size_t begin = operands_.size();
    while (LevelOfNext() == Level::kCompare) {
      const std::string_view sign = Peek().text;
      ++next_;
      const ExprId right = ParseLevel(Tighter(Level::kCompare));
      operands_.push_back(Charged(Compare(sign, left, right)));
      left = right;
    }
    return Gather(begin, [&](auto operands) { return pool_.Fold(ExprKind::kAnd, operands); });
  }

  ExprId Compare(std::string_view sign, ExprId left, ExprId right) {
    if (sign == ">") return pool_.Binary(ExprKind::kLess, right, left);
    if (sign == ">=") return pool_.Binary(ExprKind::kLessEqual, right, left);
    return pool_.Binary(KindOfOperator(sign), left, right);
  }

  ExprId ParseSum(ExprId left) {
    const size_t begin = operands_.size();
    operands_.push_back(left);
    while (LevelOfNext() == Level::kSum) {
      const bool is_negative = Peek().text == "-";
      ++next_;
      const ExprId term = ParseLevel(Level::kProduct);
      operands_.push_back(is_negative ? Charged(pool_.Negate(term)) : term);
    }
    return Gather(begin, [&](auto operands) { return pool_.Add(operands); });
  }

  ExprId ParseProduct(ExprId left) {
    while (LevelOfNext() == Level::kProduct) {
      if (IsAt("*")) {
        const size_t begin = operands_.size();
        operands_.push_back(left);
        left = GatherFactors(begin);
        continue;
      }
      const ExprKind kind = KindOfOperator(Peek().text);
      ++next_;
      left = Charged(pool_.Binary(kind, left, ParseLevel(Level::kSign)));
      if (left == ExprId::kNone) return left;
    }
    return left;
  }

  ExprId GatherFactors(size_t begin) {
    while (Accept("*")) operands_.push_back(ParseLevel(Level::kSign));
    return Gather(begin, [&](auto operands) { return pool_.Mul(operands); });
  }

  // For truth values, these are sympy's "and" and "or".
  ExprId ParseBitwise(ExprId left, Level level) {
    while (LevelOfNext() == level) {
      const std::string_view sign = Peek().text;
      ++next_;
      const ExprId right = ParseLevel(Tighter(level));
      const std::array operands = {left, right};
      const bool are_predicates =
          IsPredicate(storage_.kind(left)) && IsPredicate(storage_.kind(right));
      if (are_predicates && level != Level::kShift && level != Level::kBitXor) {
        left = pool_.Fold(level == Level::kBitAnd ? ExprKind::kAnd : ExprKind::kOr, operands);
      } else {
        left = ApplyFunction(pool_, storage_, FunctionOfSign(sign), operands);
      }
      left = Charged(left);
      if (left == ExprId::kNone) return left;
    }
    return left;
  }

  static std::string_view FunctionOfSign(std::string_view sign) {
    if (sign == "<<") return "LShift";
    if (sign == ">>") return "RShift";
    if (sign == "&") return "BitwiseFn_bitwise_and";
    if (sign == "|") return "BitwiseFn_bitwise_or";
    return "BitwiseFn_bitwise_xor";
  }

  // Parses the operand before the first operator of `least` or a tighter level.
  ExprId ParseOperand(Level least) {
    bool is_negative = false;
    while (IsAt("-") || IsAt("+")) {
      is_negative ^= IsAt("-");
      ++next_;
      if (is_negative && IsLiteral()) {
        const ExprToken& token = Peek();
        ++next_;
        if (IsInfinityName(token.text)) return pool_.Infinity(true);
        const std::string literal = "-" + std::string(token.text);
        return token.kind == Kind::kInteger ? ParseInteger(literal) : pool_.Call(literal, {});
      }
    }
    if (is_negative) return ParseNegative(least);
    if (IsAt("not")) return ParseNot("not", Level::kCompare);
    if (IsAt("!")) return ParseNot("!", Level::kSign);
    if (IsAt("~")) return ParseNot("~", Level::kSign);
    return ParsePower();
  }

  static bool IsInfinityName(std::string_view name) { return name == "int_oo" || name == "oo"; }

  // Whether a number follows that includes the sign.
  bool IsLiteral() const {
    const ExprToken& after = tokens_[next_ + (Peek().kind == Kind::kEnd ? 0 : 1)];
    if (after.text == "**") return false;
    if (IsNumber(Peek())) return true;
    const std::string_view name = Peek().text;
    const bool is_named = name == "inf" || name == "nan" || IsInfinityName(name);
    return Peek().kind == Kind::kName && is_named && after.kind != Kind::kOpen && after.text != ".";
  }

  // The sign is a factor of the following product: -(a + b)*c stays one product.
  ExprId ParseNegative(Level least) {
    const ExprId operand = ParsePower();
    if (!IsAt("*") || least > Level::kProduct) return Charged(pool_.Negate(operand));
    const size_t begin = operands_.size();
    operands_.push_back(pool_.Integer(-1));
    operands_.push_back(operand);
    return GatherFactors(begin);
  }

  ExprId ParseNot(std::string_view sign, Level operand_level) {
    bool is_negated = false;
    while (Accept(sign)) is_negated = !is_negated;
    if (++depth_ > kMaxNesting) return ExprId::kNone;
    const ExprId operand = ParseLevel(operand_level);
    --depth_;
    const bool is_bitwise = sign == "~" && !IsPredicate(storage_.kind(operand));
    if (!is_negated) return operand;
    if (is_bitwise) return pool_.Subtract(pool_.Negate(operand), pool_.Integer(1));
    return pool_.Not(operand);
  }

  ExprId ParsePower() {
    const ExprId base = ParsePrimary();
    if (!Accept("**")) return base;
    if (++depth_ > kMaxNesting) return ExprId::kNone;
    const ExprId exponent = ParseOperand(Level::kSign);
    --depth_;
    return Charged(pool_.Binary(ExprKind::kPower, base, exponent));
  }

  ExprId ParseInteger(std::string_view digits) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() ? pool_.Integer(value) : ExprId::kNone;
  }

  ExprId ParsePrimary() {
    const ExprToken& token = Peek();
    switch (token.kind) {
      case Kind::kInteger:
        ++next_;
        return ParseInteger(token.text);
      case Kind::kFloat:
        ++next_;
        return pool_.Call(token.text, {});
      case Kind::kName:
        return ParseName();
      case Kind::kOpen: {
        if (!Accept("(")) return ExprId::kNone;
        const ExprId inner = ParseLevel(Level::kTernary);
        return Accept(")") ? inner : ExprId::kNone;
      }
      default:
        return ExprId::kNone;
    }
  }

  // A constant, a symbol, a call, or a source: a name with its suffixes.
  ExprId ParseName() {
    const std::string_view name = Peek().text;
    if (llvm::is_contained(kWords, name)) return ExprId::kNone;
    if (name == "static_cast") return ParseCast();
    size_t end = next_ + 1;
    size_t dots = 0;
    size_t calls = 0;
    size_t subscripts = 0;
    size_t last_trailer = next_;
    while (true) {
      const ExprToken& token = tokens_[end];
      if (token.text == "." && tokens_[end + 1].kind == Kind::kName) {
        ++dots;
        last_trailer = end;
        end += 2;
      } else if (token.kind == Kind::kOpen && token.text != "{") {
        ++(token.text == "(" ? calls : subscripts);
        last_trailer = end;
        end = token.match + 1;
      } else {
        break;
      }
    }
    if (last_trailer == next_) {
      ++next_;
      return ParseWord(name);
    }
    const bool ends_in_call = tokens_[last_trailer].text == "(";
    const bool is_module = llvm::is_contained(kModules, name);
    if (subscripts == 0 && calls == 1 && ends_in_call && (dots == 0 || is_module)) {
      next_ = last_trailer;
      return ParseCall(tokens_[last_trailer - 1].text);
    }
    if (is_module && calls + subscripts == 0 && dots == 1) {
      const std::string_view member = tokens_[end - 1].text;
      if (member == "inf" || member == "nan") {
        next_ = end;
        return pool_.Call(member, {});
      }
    }
    return ParseSource(end);
  }

  ExprId ParseWord(std::string_view name) {
    if (name == "True" || name == "true") return pool_.Bool(true);
    if (name == "False" || name == "false") return pool_.Bool(false);
    if (IsInfinityName(name)) return pool_.Infinity(false);
    if (name == "inf" || name == "nan") return pool_.Call(name, {});
    return pool_.Symbol(name);
  }

  // static_cast<int64_t>(s0)
  ExprId ParseCast() {
    ++next_;
    if (!Accept("<") || Peek().kind != Kind::kName) return ExprId::kNone;
    const std::string_view type = Peek().text;
    ++next_;
    if (!Accept(">") || !IsAt("(")) return ExprId::kNone;
    return ParseCall(type == "double" || type == "float" ? "ToFloat" : "Identity");
  }

  ExprId ParseCall(std::string_view name) {
    const size_t close = Peek().match;
    ++next_;
    const bool is_symbol = name == "Symbol" || name == "Dummy";
    if ((is_symbol || name == "Float") && Peek().kind == Kind::kString) {
      const std::string_view content = Peek().text.substr(1, Peek().text.size() - 2);
      next_ = close + 1;  // skip the assumptions: positive=True, integer=True
      if (is_symbol) {
        const ExprId symbol = pool_.Parse(content);
        return pool_.kind(symbol) == ExprKind::kSymbol ? symbol : ExprId::kNone;
      }
      return IsNumeralText(content) ? pool_.Call(content, {}) : ExprId::kNone;
    }
    const size_t begin = operands_.size();
    const bool is_braced = Accept("{");  // std::max({a, b, c})
    const size_t list_end = is_braced ? tokens_[next_ - 1].match : close;
    while (next_ < list_end) {
      const bool is_pair = name == "Piecewise" && IsAt("(");
      const ExprId operand = is_pair ? ParsePair() : ParseLevel(Level::kTernary);
      if (operand == ExprId::kNone) return ExprId::kNone;
      operands_.push_back(operand);
      if (!Accept(",") && next_ != list_end) return ExprId::kNone;
    }
    next_ = list_end + 1;
    if (is_braced && !Accept(")")) return ExprId::kNone;
    return Gather(begin,
                  [&](auto operands) { return ApplyFunction(pool_, storage_, name, operands); });
  }

  // A case of a Piecewise: (value, condition).
  ExprId ParsePair() {
    ++next_;
    const ExprId value = ParseLevel(Level::kTernary);
    if (!Accept(",")) return ExprId::kNone;
    const ExprId condition = ParseLevel(Level::kTernary);
    if (!Accept(")")) return ExprId::kNone;
    return pool_.Call(kPairName, std::array{value, condition});
  }

  static bool IsNumeralText(std::string_view text) {
    const ExprTokens tokens = SplitExpression(text, 0);
    const size_t sign = !tokens.empty() && tokens[0].text == "-" ? 1 : 0;
    return tokens.size() == sign + 2 && IsNumber(tokens[sign]);
  }

  static bool IsNumber(const ExprToken& token) {
    return token.kind == Kind::kInteger || token.kind == Kind::kFloat;
  }

  // Whether the end of `name` followed by `sign` would be read as "->" or "::".
  static bool WouldBecomePoint(std::string_view name, std::string_view sign) {
    return (name.ends_with('-') && sign.starts_with('>')) ||
           (name.ends_with(':') && sign.starts_with(':'));
  }

  // A symbol named by all tokens up to `end`, with single quotes, and blanks only between tokens
  // that would otherwise merge.
  ExprId ParseSource(size_t end) {
    std::string name;
    bool ends_in_word = false;
    for (; next_ < end; ++next_) {
      const ExprToken& token = Peek();
      // A point next to a number would become part of it when the name is parsed again.
      if (token.text == "." && (IsNumber(tokens_[next_ - 1]) || IsNumber(tokens_[next_ + 1]))) {
        return ExprId::kNone;
      }
      const bool is_word = token.kind == Kind::kName || IsNumber(token);
      if ((is_word && ends_in_word) || WouldBecomePoint(name, token.text)) name += ' ';
      ends_in_word = is_word;
      if (token.kind == Kind::kString && token.text.find_first_of("'\\") == token.text.npos) {
        name += '\'';
        name += token.text.substr(1, token.text.size() - 2);
        name += '\'';
      } else {
        name += token.text;
      }
    }
    return pool_.Symbol(name);
  }

  ExprPool& pool_;
  const Storage& storage_;
  const ExprTokens& tokens_;
  size_t next_ = 0;
  uint32_t depth_ = 0;
  size_t work_ = 0;
  llvm::SmallVector<ExprId, 32> operands_;
};

}  // namespace

ExprId ExprPool::Parse(std::string_view text) {
  if (text.size() > kMaxTextBytes) return ExprId::kNone;
  const ExprTokens tokens = SplitExpression(text, kMaxNesting);
  if (tokens.empty()) return ExprId::kNone;
  return Parser(*this, *storage_, tokens).ParseAll();
}

}  // namespace shapewise
