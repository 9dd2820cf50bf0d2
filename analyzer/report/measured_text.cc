#include "report/measured_text.h"

#include <algorithm>

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {

std::string Fixed(double number, int digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, number);
  return text;
}

int DigitsFor(double number) {
  if (number >= 100) return 0;
  if (number >= 10) return 1;
  return number >= 1 ? 2 : 3;
}

std::string RangeText(const std::optional<MeasuredRange>& range) {
  if (!range) return "-";
  const int digits = DigitsFor(range->value);
  const double half = std::max(range->high - range->value, range->value - range->low);
  return Fixed(range->value, digits) + (half > 0 ? " ± " + Fixed(half, digits) : "");
}

std::string BytesText(const std::optional<uint64_t>& bytes) {
  if (!bytes) return "-";
  const double megabytes = static_cast<double>(*bytes) / (1024.0 * 1024.0);
  if (megabytes < 1024) return Fixed(megabytes, DigitsFor(megabytes)) + " MiB";
  return Fixed(megabytes / 1024, DigitsFor(megabytes / 1024)) + " GiB";
}

std::string CallTimeText(double seconds) {
  if (seconds < 1e-3) return Fixed(seconds * 1e6, DigitsFor(seconds * 1e6)) + " us";
  if (seconds < 1) return Fixed(seconds * 1e3, DigitsFor(seconds * 1e3)) + " ms";
  return Fixed(seconds, DigitsFor(seconds)) + " s";
}

}  // namespace shapewise
