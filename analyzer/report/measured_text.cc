#include "report/measured_text.h"

#include <algorithm>

#include "llvm/Support/FormatVariadic.h"

namespace shapewise {

std::string Fixed(double number, int digits) {
  switch (digits) {
    case 0:
      return llvm::formatv("{0:F0}", number).str();
    case 1:
      return llvm::formatv("{0:F1}", number).str();
    case 2:
      return llvm::formatv("{0:F2}", number).str();
    default:
      return llvm::formatv("{0:F3}", number).str();
  }
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
