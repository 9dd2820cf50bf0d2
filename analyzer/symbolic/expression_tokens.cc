#include "symbolic/expression_tokens.h"

#include <array>
#include <charconv>
#include <limits>

#include "support/text_scan.h"
#include "symbolic/interval.h"

namespace shapewise {
namespace {

bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Longer signs first.
constexpr auto kOperators = std::to_array<std::string_view>({
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::", "->", "+", "-",
    "*",  "/",  "%",  "<",  ">",  "=",  "&",  "|",  "^",  "~",  ".",  ",",  ":", "!",
});

size_t NumberLength(std::string_view text, bool& is_float) {
  size_t length = 0;
  while (length < text.size() && IsDigit(text[length])) ++length;
  if (length < text.size() && text[length] == '.') {
    is_float = true;
    ++length;
    while (length < text.size() && IsDigit(text[length])) ++length;
  }
  size_t exponent = length;
  if (exponent < text.size() && (text[exponent] == 'e' || text[exponent] == 'E')) {
    ++exponent;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && IsDigit(text[exponent])) {
      is_float = true;
      while (exponent < text.size() && IsDigit(text[exponent])) ++exponent;
      length = exponent;
    }
  }
  return length;
}

// Including both quotes; 0: not closed.
size_t StringLength(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      return i + 1;
    }
  }
  return 0;
}

char Opening(char close) { return close == ')' ? '(' : close == ']' ? '[' : '{'; }

using Kind = ExprToken::Kind;

// Releases before 2.5 print sys.maxsize - 1 for "no bound".
constexpr int64_t kUnbounded = 9223372036854775806;

// Reads a bound at tokens[next], which moves past it. False: not an integer.
bool ReadBound(const ExprTokens& tokens, size_t& next, bool has_infinity,
               std::optional<int64_t>& bound) {
  if (tokens[next].kind == Kind::kName && tokens[next + 1].text == "=") next += 2;  // lower=2
  const bool is_negative = tokens[next].text == "-";
  if (is_negative) ++next;
  if (tokens[next].text == "math" && tokens[next + 1].text == ".") next += 2;
  const ExprToken token = tokens[next++];
  if (token.kind == Kind::kName) {
    if (token.text == "False" || token.text == "True") bound = token.text == "True" ? 1 : 0;
    return bound.has_value() || token.text == "int_oo" || token.text == "oo" || token.text == "inf";
  }
  if (token.kind != Kind::kInteger) return false;
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  const bool is_bounded = error == std::errc() && (has_infinity || value < kUnbounded);
  if (is_bounded) bound = is_negative ? -value : value;
  return error == std::errc() || error == std::errc::result_out_of_range;
}

}  // namespace

ExprTokens SplitExpression(std::string_view text, uint32_t max_depth) {
  using Kind = ExprToken::Kind;
  ExprTokens tokens;
  llvm::SmallVector<uint32_t, 16> open;
  if (text.size() >= std::numeric_limits<uint32_t>::max()) return {};
  while (true) {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    if (text.empty() || text.front() == '#') break;
    const char c = text.front();
    const auto index = static_cast<uint32_t>(tokens.size());
    ExprToken token;
    size_t length = 1;
    size_t suffix = 0;
    if (IsNameStart(c)) {
      token.kind = Kind::kName;
      while (length < text.size() && (IsNameStart(text[length]) || IsDigit(text[length]))) ++length;
    } else if (IsDigit(c) || (c == '.' && text.size() > 1 && IsDigit(text[1]))) {
      bool is_float = false;
      length = NumberLength(text, is_float);
      token.kind = is_float ? Kind::kFloat : Kind::kInteger;
      while (suffix < 2 && length + suffix < text.size() && text[length + suffix] == 'L') ++suffix;
      const size_t next = length + suffix;
      if (next < text.size() && (IsNameStart(text[next]) || IsDigit(text[next]))) return {};
    } else if (c == '\'' || c == '"') {
      token.kind = Kind::kString;
      length = StringLength(text);
      if (length == 0) return {};
    } else if (c == '(' || c == '[' || c == '{') {
      token.kind = Kind::kOpen;
      open.push_back(index);
      if (open.size() > max_depth) return {};
    } else if (c == ')' || c == ']' || c == '}') {
      token.kind = Kind::kClose;
      if (open.empty() || tokens[open.back()].text.front() != Opening(c)) return {};
      token.match = open.back();
      tokens[open.back()].match = index;
      open.pop_back();
    } else {
      token.kind = Kind::kOperator;
      length = 0;
      for (const std::string_view sign : kOperators) {
        if (text.starts_with(sign)) {
          length = sign.size();
          break;
        }
      }
      if (length == 0) return {};
    }
    token.text = text.substr(0, length);
    if (token.kind == Kind::kOperator && (token.text == "::" || token.text == "->")) {
      token.text = ".";
    }
    tokens.push_back(token);
    text.remove_prefix(length + suffix);
  }
  if (!open.empty()) return {};
  tokens.emplace_back();
  return tokens;
}

std::optional<Interval> ParseInterval(std::string_view text, bool has_infinity) {
  const ExprTokens tokens = SplitExpression(text, 1);
  if (tokens.empty()) return std::nullopt;
  size_t next = tokens[0].kind == Kind::kName ? 1 : 0;
  if (tokens[next].kind != Kind::kOpen) return std::nullopt;
  const size_t close = tokens[next].match;
  ++next;
  Interval interval;
  if (!ReadBound(tokens, next, has_infinity, interval.lower) || tokens[next].text != ",") {
    return std::nullopt;
  }
  ++next;
  if (!ReadBound(tokens, next, has_infinity, interval.upper)) return std::nullopt;
  // Further arguments, such as is_bool=False, are irrelevant.
  const bool is_complete = next == close || tokens[next].text == ",";
  return is_complete && tokens[close + 1].kind == Kind::kEnd ? std::optional(interval)
                                                             : std::nullopt;
}

}  // namespace shapewise
