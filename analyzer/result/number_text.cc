#include "result/number_text.h"

#include <algorithm>
#include <cmath>

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {

std::string RankRanges(const std::vector<int32_t>& ranks) {
  std::string text;
  for (size_t first = 0; first < ranks.size();) {
    size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(ranks[first]);
    if (last > first) text.append("-").append(std::to_string(ranks[last]));
    first = last + 1;
  }
  return text;
}

std::string RanksText(const std::vector<int32_t>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + RankRanges(ranks);
}

std::string SecondsText(double seconds) {
  if (seconds < 10) return llvm::formatv("{0:F2} s", seconds).str();
  if (seconds < 120) return llvm::formatv("{0:F1} s", seconds).str();
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

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

std::string PercentText(double share) {
  const double percent = share * 100;
  if (!std::isfinite(percent)) return "unknown";
  const double size = std::abs(percent);
  if (size >= 1e6) return llvm::formatv("{0:E2} %", percent).str();
  if (size >= 99.95) return llvm::formatv("{0:F0} %", percent).str();
  if (size >= 0.995 || size == 0) return llvm::formatv("{0:F1} %", percent).str();
  return llvm::formatv("{0:F2} %", percent).str();
}

std::string PercentText(const std::optional<double>& share) {
  return share ? PercentText(*share) : std::string();
}

std::string FactorText(double factor) {
  if (!std::isfinite(factor)) return "unknown";
  const double size = std::abs(factor);
  if (size >= 1e6) return llvm::formatv("{0:E2}x", factor).str();
  if (size >= 99.95) return llvm::formatv("{0:F0}x", factor).str();
  return llvm::formatv(size >= 9.995 ? "{0:F1}x" : "{0:F2}x", factor).str();
}

std::string DurationText(double seconds) {
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  if (!std::isfinite(seconds)) return "unknown";
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 1e-3) return llvm::formatv("{0:F1} us", seconds * 1e6).str();
  if (size < 1) return llvm::formatv("{0:F1} ms", seconds * 1e3).str();
  if (size >= 1e6 * kDay) return llvm::formatv("{0:E2} s", seconds).str();
  if (size >= 2 * kDay) return llvm::formatv("{0:F1} days", seconds / kDay).str();
  if (size >= 2 * kHour) return llvm::formatv("{0:F1} h", seconds / kHour).str();
  return SecondsText(seconds);
}

std::string DurationText(const std::optional<double>& seconds) {
  return seconds ? DurationText(*seconds) : std::string();
}

}  // namespace shapewise
