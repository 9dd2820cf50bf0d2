#include "ingest/messages/xla_time.h"

#include <array>
#include <cstddef>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

struct XlaUnit {
  std::string_view suffix;
  double seconds;
};
// Longest first, as printed; "ms" before "m" would not do, so the suffix has to fit as a whole.
constexpr std::array<XlaUnit, 6> kXlaUnits = {
    {{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};

/// Takes "012ms" off `text` if `unit` is the one that follows the number.
std::optional<double> ConsumeField(std::string_view& text, const XlaUnit& unit) {
  std::string_view rest = text;
  const std::optional<double> number = ParseDecimal(rest);
  if (!number) return std::nullopt;
  while (!rest.empty() && (IsDigit(rest[0]) || rest[0] == '.')) rest.remove_prefix(1);
  if (!ConsumeFront(rest, unit.suffix)) return std::nullopt;
  if (unit.suffix == "m" && rest.starts_with('s')) return std::nullopt;
  text = rest;
  return number;
}

}  // namespace

std::optional<double> ParseDecimal(std::string_view text) {
  const std::optional<uint64_t> whole = ConsumeUint(text);
  if (!whole) return std::nullopt;
  double value = static_cast<double>(*whole);
  if (!ConsumeFront(text, ".")) return value;
  double digit_value = 0.1;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), digit_value /= 10) {
    value += (text[0] - '0') * digit_value;
  }
  return value;
}

std::optional<double> ParseXlaTime(std::string_view text) {
  std::array<std::optional<double>, kXlaUnits.size()> fields;
  for (size_t i = 0; i < kXlaUnits.size(); ++i) fields[i] = ConsumeField(text, kXlaUnits[i]);
  if (!fields.back()) return std::nullopt;

  // From the smallest unit upwards: only with the rest known can a field be put right.
  double seconds = *fields.back() * kXlaUnits.back().seconds;
  for (size_t i = kXlaUnits.size() - 1; i-- > 0;) {
    if (!fields[i]) continue;
    const bool was_rounded_up = seconds / kXlaUnits[i].seconds >= 0.5 && *fields[i] >= 1;
    seconds += (*fields[i] - (was_rounded_up ? 1 : 0)) * kXlaUnits[i].seconds;
  }
  return seconds;
}

}  // namespace shapewise
