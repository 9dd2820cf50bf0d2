#include "support/literal_set.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

size_t FindOneByOne(const std::vector<std::string>& literals, std::string_view text, size_t from) {
  size_t first = LiteralSet::kNotFound;
  for (const std::string& literal : literals) first = std::min(first, text.find(literal, from));
  return first;
}

std::string RandomText(std::minstd_rand& random, std::string_view alphabet, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += alphabet[random() % alphabet.size()];
  return text;
}

TEST_CASE("the first of several literals is found") {
  const LiteralSet set({"[__recompiles]", "torch._dynamo", "TRACED GRAPH"});
  CHECK(set.Find("TRACED GRAPH then torch._dynamo") == 0);
  CHECK(set.Find("a torch._dynamo then TRACED GRAPH") == 2);
  CHECK(set.Find("a torch._dynamo then TRACED GRAPH", 3) == 21);
  CHECK(set.Find("a torch._dynamo then TRACED GRAPH", 22) == LiteralSet::kNotFound);
  CHECK(set.Occurs("V0819 12:00:00.000000 1 torch/_dynamo/guards.py:1] [0/1] [__recompiles] x"));
  CHECK_FALSE(set.Occurs("V0819 12:00:00.000000 1 torch/_dynamo/guards.py:1] [0/1] [__guards] x"));
  CHECK_FALSE(set.Occurs("traced graph"));
  CHECK_FALSE(set.Occurs(""));
}

TEST_CASE("a set of no literals finds nothing") {
  const LiteralSet set({});
  CHECK_FALSE(set.Occurs(""));
  CHECK_FALSE(set.Occurs(std::string(100, 'x')));
}

TEST_CASE("a start past the end finds nothing") {
  const LiteralSet set({"literal"});
  for (size_t from = 1; from < 12; ++from) CHECK(set.Find("literal", from) == set.kNotFound);
  CHECK(set.Find("literal", LiteralSet::kNotFound) == LiteralSet::kNotFound);
}

TEST_CASE("a literal is found at every offset of texts of every length") {
  const LiteralSet set({"needle", "[__graph_breaks]", "\xe2\x96\x88\xff\x80\x01"});
  for (const std::string_view literal :
       {"needle", "[__graph_breaks]", "\xe2\x96\x88\xff\x80\x01"}) {
    for (size_t size = literal.size(); size < 150; ++size) {
      for (size_t at = 0; at + literal.size() <= size; ++at) {
        // Exactly as long as the text, for the sanitizer to see a byte read too far.
        const auto bytes = std::make_unique<char[]>(size);
        std::fill_n(bytes.get(), size, '_');
        std::copy(literal.begin(), literal.end(), bytes.get() + at);
        const std::string_view text(bytes.get(), size);
        if (set.Find(text) != at || set.Find(text, at) != at ||
            set.Find(text, at + 1) != LiteralSet::kNotFound ||
            set.Find(text.substr(0, at + literal.size() - 1)) != LiteralSet::kNotFound) {
          FAIL(literal << " at " << at << " of " << size);
        }
      }
    }
  }
}

TEST_CASE("a set finds what a search for one literal after another finds") {
  std::minstd_rand random(11);
  for (const std::string_view alphabet : {"ab", "abc[_", "TRACEDGRPH tracedgrph_"}) {
    for (int round = 0; round < 400; ++round) {
      std::vector<std::string> literals;
      for (size_t count = random() % 60; count != 0; --count) {
        literals.push_back(RandomText(random, alphabet, LiteralSet::kMinLength + random() % 12));
      }
      const LiteralSet set(std::vector<std::string_view>(literals.begin(), literals.end()));
      for (int text_round = 0; text_round < 10; ++text_round) {
        std::string text = RandomText(random, alphabet, random() % 300);
        if (!literals.empty() && !text.empty()) {
          text.insert(random() % text.size(), literals[random() % literals.size()]);
        }
        const size_t from = random() % (text.size() + 1);
        if (set.Find(text) != FindOneByOne(literals, text, 0) ||
            set.Find(text, from) != FindOneByOne(literals, text, from)) {
          FAIL(text << " from " << from);
        }
      }
    }
  }
}

TEST_CASE("the search for a line finds a literal on the line of the first one") {
  std::minstd_rand random(12);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::string> literals;
    for (size_t count = 1 + random() % 60; count != 0; --count) {
      literals.push_back(RandomText(random, "abc[_", LiteralSet::kMinLength + random() % 12));
    }
    const LiteralSet set(std::vector<std::string_view>(literals.begin(), literals.end()));
    for (int text_round = 0; text_round < 10; ++text_round) {
      std::string text = RandomText(random, "abc[_\n", random() % 300);
      if (!text.empty()) text.insert(random() % text.size(), literals[random() % literals.size()]);
      const size_t from = random() % (text.size() + 1);
      const size_t first = FindOneByOne(literals, text, from);
      const size_t found = set.FindLine(text, from);
      const bool is_literal = std::ranges::any_of(literals, [&](const std::string& literal) {
        return std::string_view(text).substr(std::min(found, text.size())).starts_with(literal);
      });
      const bool is_right =
          first == LiteralSet::kNotFound
              ? found == LiteralSet::kNotFound
              : found >= first && is_literal && text.find('\n', first) == text.find('\n', found);
      if (!is_right) FAIL(text << " from " << from);
    }
  }
}

}  // namespace
}  // namespace shapewise
