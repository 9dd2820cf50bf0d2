// Parses ranges of symbols as PyTorch prints them.

#include <charconv>

#include "symbolic/expression_tokens.h"
#include "symbolic/interval.h"

namespace shapewise {
namespace {

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
