#include "causes/relation_value.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "support/text_scan.h"

namespace shapewise {
namespace {

/// offset + slope * source
struct LinearForm {
  double offset = 0;
  double slope = 0;
};

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
      sum = {sum.offset + sign * next.offset, sum.slope + sign * next.slope};
    }
    return sum;
  }

  LinearForm Product() {
    LinearForm product = Operand();
    while (is_linear_ && Consume("*")) {
      const LinearForm next = Operand();
      if (product.slope != 0 && next.slope != 0) is_linear_ = false;
      product = {product.offset * next.offset,
                 product.offset * next.slope + product.slope * next.offset};
    }
    return product;
  }

  LinearForm Operand() {
    if (++depth_ > kMaxDepth) is_linear_ = false;
    if (!is_linear_) return {};
    LinearForm operand;
    if (Consume("-")) {
      operand = Operand();
      operand = {-operand.offset, -operand.slope};
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
  if (!right || !left || left->slope == 0) return {};
  const double value = (*right - left->offset) / left->slope;
  if (!std::isfinite(value)) return {};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

}  // namespace shapewise
