#include "result/number_text.h"

#include <cmath>

#include "llvm/Support/FormatVariadic.h"

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

}  // namespace shapewise
