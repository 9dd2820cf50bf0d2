#include "fuzz/stretching_mutator.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr size_t kMaxSize = size_t{1} << 20;

constexpr std::string_view kLog =
    "V1121 04:07:24.693000 551 torch/_dynamo/guards.py:28] [0/1] reasons: f(L['x'].size()[0] == "
    "3)\n"
    "    - 0/0: tensor 'x' size mismatch at index 0\n"
    "torch._dynamo.exc.Unsupported: call to y.copy()\n"
    "if x:\n"
    "  return a.copy()\n";

/// Inputs that a mutator gets sooner or later.
std::vector<std::string> Texts() {
  return {"",     "x",        "\n",          std::string(kLog),       std::string(5000, '('),
          "\"\"", "[(<{1}>)", "\xff\x80 a.", std::string("\0\n\0", 3)};
}

size_t LongestLine(std::string_view text) {
  size_t longest = 0;
  while (!text.empty()) {
    const size_t newline = std::min(text.find('\n'), text.size());
    longest = std::max(longest, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
  }
  return longest;
}

/// The longest run of `piece` after `piece`.
size_t LongestRun(std::string_view text, std::string_view piece) {
  size_t longest = 0;
  for (size_t at = text.find(piece); at != std::string_view::npos; at = text.find(piece, at)) {
    size_t run = 0;
    for (; text.substr(at, piece.size()) == piece; at += piece.size()) ++run;
    longest = std::max(longest, run);
  }
  return longest;
}

TEST_CASE("a mutated text is never larger than allowed") {
  for (const std::string& text : Texts()) {
    for (const size_t max_size : {size_t{0}, size_t{1}, size_t{7}, size_t{300}, size_t{6000}}) {
      for (uint64_t seed = 0; seed < 300; ++seed) {
        REQUIRE(StretchText(text, max_size, seed, /*long_share=*/2).size() <= max_size);
        REQUIRE(SpliceTexts(text, kLog, max_size, seed).size() <= max_size);
        REQUIRE(SpliceTexts(kLog, text, max_size, seed).size() <= max_size);
      }
    }
  }
}

TEST_CASE("the same seed gives the same mutation") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    REQUIRE(StretchText(kLog, 9000, seed) == StretchText(kLog, 9000, seed));
    REQUIRE(SpliceTexts(kLog, "a\nb\n", 9000, seed) == SpliceTexts(kLog, "a\nb\n", 9000, seed));
  }
}

TEST_CASE("mutations reach long lines, many lines, deep nests and long chains") {
  size_t line = 0;
  size_t blank_lines = 0;
  size_t brackets = 0;
  size_t links = 0;
  size_t reasons = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const std::string text = StretchText(kLog, kMaxSize, seed, /*long_share=*/4);
    line = std::max(line, LongestLine(text));
    blank_lines = std::max(blank_lines, LongestRun(text, "\n"));
    brackets = std::max(brackets, LongestRun(text, "("));
    links = std::max(links, LongestRun(text, ".copy()"));
    reasons =
        std::max(reasons, LongestRun(text, "    - 0/0: tensor 'x' size mismatch at index 0\n"));
  }
  CHECK(line > 512 * 1024);
  CHECK(blank_lines > 100'000);
  CHECK(brackets > 50'000);
  CHECK(links > 10'000);
  CHECK(reasons > 5'000);
}

TEST_CASE("a numbered repetition makes distinct lines") {
  size_t distinct = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const std::string text = StretchText("f1: 7\n", 4096, seed);
    std::vector<std::string_view> lines;
    std::string_view rest = text;
    for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      lines.push_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    std::ranges::sort(lines);
    const auto [first, last] = std::ranges::unique(lines);
    distinct = std::max(distinct, lines.size() - static_cast<size_t>(last - first));
  }
  CHECK(distinct > 100);
}

TEST_CASE("most mutations stay short") {
  size_t long_texts = 0;
  for (uint64_t seed = 0; seed < 3200; ++seed) {
    if (StretchText(kLog, kMaxSize, seed).size() > kLog.size() + 8192) ++long_texts;
  }
  CHECK(long_texts > 10);
  CHECK(long_texts < 200);
}

}  // namespace
}  // namespace shapewise
