#include "ingest/sizes/size_number.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

std::string_view Unquoted(std::string_view text) {
  text = Trim(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = Trim(text.substr(1, text.size() - 2));
  }
  ConsumeFront(text, "+");
  return text;
}

std::optional<double> NumberIn(std::string_view text) {
  text = Unquoted(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return HUGE_VAL;
  if (error != std::errc() || std::isnan(number)) return std::nullopt;
  return number;
}

}  // namespace

std::string_view ParseWholeNumber(std::string_view text, uint64_t most, uint64_t& value) {
  std::string_view digits = Unquoted(text);
  if (const std::optional<uint64_t> whole = ConsumeUint(digits); whole && digits.empty()) {
    value = *whole;
    return *whole <= most ? "" : "is too large";
  }
  const std::optional<double> number = NumberIn(text);
  if (!number) return Trim(text).empty() ? "is missing" : "is no number";
  return CheckWholeNumber(*number, most, value);
}

std::string_view CheckWholeNumber(double number, uint64_t most, uint64_t& value) {
  if (std::isnan(number)) return "is no number";
  if (number < 0) return "is negative";
  if (number > static_cast<double>(most)) return "is too large";
  if (number != std::floor(number)) return "is no whole number";
  value = static_cast<uint64_t>(number);
  return {};
}

bool IsNumber(std::string_view text) { return NumberIn(text).has_value(); }

}  // namespace shapewise
