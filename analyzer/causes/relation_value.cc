#include "causes/relation_value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

#include "support/text_scan.h"

namespace shapewise {
namespace {

/// offset + slope * source, plus something that repeats with `period`: 1 if there is nothing.
struct LinearForm {
  double offset = 0;
  double slope = 0;
  int64_t period = 1;
};

/// A period that is longer is no multiple to which anybody pads.
constexpr int64_t kMaxPeriod = 1 << 20;

/// Reads one side of an equation, as sympy prints it.
class FormReader {
 public:
  FormReader(std::string_view text, std::string_view source) : rest_(text), source_(source) {}

  std::optional<LinearForm> Read() {
    const LinearForm line = Sum();
    return is_linear_ && TrimLeft(rest_).empty() ? std::optional(line) : std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 16;

  bool Consume(std::string_view word) {
    rest_ = TrimLeft(rest_);
    return ConsumeFront(rest_, word);
  }

  LinearForm Sum() {
    LinearForm sum = Product();
    while (is_linear_) {
      const bool adds = Consume("+");
      if (!adds && !Consume("-")) break;
      const LinearForm next = Product();
      const double sign = adds ? 1 : -1;
      sum = {sum.offset + sign * next.offset, sum.slope + sign * next.slope,
             std::lcm(sum.period, next.period)};
      is_linear_ &= sum.period <= kMaxPeriod;
    }
    return sum;
  }

  LinearForm Product() {
    LinearForm product = Operand();
    while (is_linear_) {
      const bool is_quotient = Consume("//");
      const bool is_remainder = !is_quotient && Consume("%");
      if (!is_quotient && !is_remainder && !Consume("*")) break;
      const LinearForm next = Operand();
      if (is_quotient || is_remainder) {
        product = Divided(product, next, is_quotient);
        continue;
      }
      is_linear_ &= IsNumber(product) || IsNumber(next);
      product = {product.offset * next.offset,
                 product.offset * next.slope + product.slope * next.offset,
                 std::max(product.period, next.period)};
    }
    return product;
  }

  static bool IsNumber(const LinearForm& form) { return form.slope == 0 && form.period == 1; }

  LinearForm Divided(const LinearForm& form, const LinearForm& divisor, bool is_quotient) {
    const auto number = static_cast<int64_t>(std::clamp<double>(divisor.offset, 0, kMaxPeriod));
    is_linear_ &= IsNumber(divisor) && number > 0 && static_cast<double>(number) == divisor.offset;
    if (!is_linear_) return {};
    const int64_t period = form.period * number;
    is_linear_ &= period <= kMaxPeriod;
    const double slope = is_quotient ? form.slope / static_cast<double>(number) : 0;
    return {is_quotient ? form.offset / static_cast<double>(number) : 0, slope, period};
  }

  LinearForm Operand() {
    if (++depth_ > kMaxDepth) is_linear_ = false;
    if (!is_linear_) return {};
    LinearForm operand;
    if (Consume("-")) {
      operand = Operand();
      operand = {-operand.offset, -operand.slope, operand.period};
    } else if (Consume("(")) {
      operand = Sum();
      is_linear_ &= Consume(")");
    } else if (Consume(source_)) {
      operand.slope = 1;
      is_linear_ &= rest_.empty() || (!IsWordChar(rest_[0]) && rest_[0] != '.' && rest_[0] != '[');
    } else {
      size_t end = 0;
      while (end < rest_.size() && (IsDigit(rest_[end]) || rest_[end] == '.')) ++end;
      const std::optional<double> number = ParseNumber<double>(rest_.substr(0, end));
      is_linear_ &= number.has_value();
      operand.offset = number.value_or(0);
      rest_.remove_prefix(end);
    }
    --depth_;
    return operand;
  }

  std::string_view rest_;
  std::string_view source_;
  int depth_ = 0;
  bool is_linear_ = true;
};

}  // namespace

std::string ValueInRelation(std::string_view guard, std::string_view source) {
  constexpr std::string_view kEquals = " == ";
  const size_t equals = FindText(guard, kEquals);
  if (equals == kNotFound || source.empty()) return {};
  const std::optional<double> right =
      ParseNumber<double>(Trim(guard.substr(equals + kEquals.size())));
  const std::optional<LinearForm> left = FormReader(guard.substr(0, equals), source).Read();
  if (!right || !left || left->slope == 0 || left->period != 1) return {};
  const double value = (*right - left->offset) / left->slope;
  if (!std::isfinite(value)) return {};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

int64_t PeriodOfAnswer(std::string_view guard) {
  constexpr std::string_view kSize = ".size()[";
  constexpr std::string_view kEquals[] = {" == ", " != "};
  const size_t size = FindText(guard, kSize);
  const size_t close = guard.find(']', size == kNotFound ? guard.size() : size + kSize.size());
  if (close == kNotFound) return 0;
  size_t begin = size;
  const auto is_of_source = [](char c) { return IsWordChar(c) || HasText(".[]'", {&c, 1}); };
  while (begin > 0 && is_of_source(guard[begin - 1])) --begin;
  const std::string_view source = guard.substr(begin, close + 1 - begin);
  for (const std::string_view equals : kEquals) {
    const size_t at = FindText(guard, equals);
    if (at == kNotFound) continue;
    const auto left = FormReader(guard.substr(0, at), source).Read();
    const auto right = FormReader(guard.substr(at + equals.size()), source).Read();
    constexpr double kRounding = 1e-9;
    if (!left || !right || std::abs(left->slope - right->slope) > kRounding) return 0;
    const int64_t period = std::lcm(left->period, right->period);
    return period > 1 && period <= kMaxPeriod ? period : 0;
  }
  return 0;
}

}  // namespace shapewise
