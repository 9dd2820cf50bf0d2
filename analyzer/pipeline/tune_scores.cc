#include "pipeline/tune_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "llvm/ADT/StringExtras.h"

namespace shapewise {
namespace {

constexpr double kPrinted = 1e-3;  // tolerance of printed numbers, which are rounded
constexpr size_t kMostScores = 10'000;
constexpr size_t kLongestNumber = 40;
constexpr std::string_view kWords[] = {"loss", "acc", "accuracy", "perplexity", "ppl", "score"};

bool IsScoreWord(std::string_view word) {
  const std::string lower = llvm::StringRef(word.data(), word.size()).lower();
  return std::ranges::find(kWords, lower) != std::end(kWords);
}

// Takes the letters and digits that `text` begins with off it.
std::string_view TakeWord(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && llvm::isAlnum(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// Takes the number at the beginning of `text`, behind signs such as ": " and "'=", off
// it.
std::optional<double> TakeNumber(std::string_view& text) {
  const size_t begin = std::min(text.find_first_not_of(" \t:=|'\"([{>"), text.size());
  std::string_view rest = text.substr(begin);
  const std::string copy(rest.substr(0, kLongestNumber));
  const size_t digit = copy.starts_with('-') || copy.starts_with('+') ? 1 : 0;
  const std::string lower = llvm::StringRef(copy).substr(digit).lower();
  const bool is_number = !lower.empty() && (llvm::isDigit(lower[0]) || lower[0] == '.' ||
                                            lower.starts_with("nan") || lower.starts_with("inf"));
  if (!is_number || begin == 0) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  const auto length = static_cast<size_t>(end - copy.c_str());
  // "3rd" is a word.
  if (length == 0 || (length < rest.size() && llvm::isAlpha(rest[length]))) return std::nullopt;
  text.remove_prefix(begin + length);
  return number;
}

}  // namespace

std::vector<TuneScore> ScoresIn(std::string_view text) {
  std::vector<TuneScore> scores;
  while (!text.empty() && scores.size() < kMostScores) {
    if (!llvm::isAlnum(text[0])) {
      text.remove_prefix(1);
      continue;
    }
    std::string name(TakeWord(text));
    // "loss2", "acc@5": a number that belongs to the name.
    const std::string_view letters = llvm::StringRef(name).rtrim("0123456789");
    if (!IsScoreWord(letters)) continue;
    if (text.starts_with('@')) {
      text.remove_prefix(1);
      name += "@" + std::string(TakeWord(text));
    }
    if (const std::optional<double> number = TakeNumber(text)) {
      scores.push_back({std::move(name), *number});
    }
  }
  return scores;
}

bool AreEqualScores(const TuneScore& a, const TuneScore& b) {
  if (a.name != b.name) return false;
  if (!std::isfinite(a.number) || !std::isfinite(b.number)) {
    return a.number == b.number || (std::isnan(a.number) && std::isnan(b.number));
  }
  return std::abs(a.number - b.number) <=
         kPrinted * std::max(std::abs(a.number), std::abs(b.number));
}

}  // namespace shapewise
