#include "support/text_scan.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("a text is found at every offset of texts of every length") {
  for (const std::string_view needle : {"a", "ab", "aab", "needle", "needle of twenty-three"}) {
    for (size_t size = needle.size(); size < 90; ++size) {
      for (size_t at = 0; at + needle.size() <= size; ++at) {
        // Exactly as long as the text, for the sanitizer to see a byte read too far.
        const auto bytes = std::make_unique<char[]>(size);
        std::fill_n(bytes.get(), size, '_');
        std::ranges::copy(needle, bytes.get() + at);
        const std::string_view text(bytes.get(), size);
        if (FindText(text, needle) != at || FindText(text, needle, at) != at ||
            FindText(text, needle, at + 1) != kNotFound ||
            FindText(text.substr(0, at + needle.size() - 1), needle) != kNotFound) {
          FAIL(needle << " at " << at << " of " << size);
        }
      }
    }
  }
}

TEST_CASE("the search for a text finds what that of the standard library finds") {
  std::minstd_rand random(13);
  const auto random_text = [&random](size_t size) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += "ab"[random() % 2];
    return text;
  };
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_text(random() % 200);
    // Some are longer than the texts, and some than what is compared in lanes.
    const std::string needle =
        random() % 8 == 0 ? random_text(random() % 300) : random_text(random() % 12);
    const size_t from = random() % (text.size() + 2);
    if (FindText(text, needle, from) != text.find(needle, from)) {
      FAIL(needle << " in " << text << " from " << from);
    }
  }
}

TEST_CASE("a word counts only if no character of a name is next to it", "[support]") {
  CHECK(ContainsWord("u0 < 2*s77", "s77"));
  CHECK_FALSE(ContainsWord("u0 < 2*s77", "s7"));
  CHECK(ContainsWord("s7_a + s7", "s7"));
  CHECK_FALSE(ContainsWord("full new_full", "new"));
  CHECK_FALSE(ContainsWord("full new_full", ""));
}

}  // namespace
}  // namespace shapewise
