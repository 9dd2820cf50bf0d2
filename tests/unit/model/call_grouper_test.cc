// Lengths become calls as a batcher makes them: checked against one that goes length by length.

#include "model/call_grouper.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

/// Calls of `lengths`, made one length at a time; and how many lengths are left out, or too long.
struct Batches {
  std::map<Sizes, std::pair<uint64_t, double>> counts;
  uint64_t calls = 0;
  uint64_t left_out = 0;
  uint64_t too_long = 0;
};

Batches Grouped(const std::vector<int64_t>& lengths, const GroupingRule& rule) {
  Batches batches;
  std::vector<int64_t> batch;
  const auto end_call = [&] {
    const auto count = static_cast<int64_t>(batch.size());
    const int64_t longest = *std::ranges::max_element(batch);
    auto& [calls, real] =
        batches.counts[rule.max_tokens ? Sizes{count, longest, 1} : Sizes{longest, 1, 1}];
    ++calls;
    for (const int64_t length : batch) real += static_cast<double>(length);
    ++batches.calls;
    batch.clear();
  };
  for (const int64_t length : lengths) {
    if (rule.max_tokens) {
      const auto budget = static_cast<int64_t>(*rule.max_tokens);
      int64_t longest = length;
      for (const int64_t other : batch) longest = std::max(longest, other);
      const auto grown = static_cast<int64_t>(batch.size()) + 1;
      if (!batch.empty() && grown * longest > budget) end_call();
      if (length > budget) ++batches.too_long;
    }
    batch.push_back(length);
    if (!rule.max_tokens && batch.size() == rule.batch.value_or(1)) end_call();
  }
  if (rule.max_tokens && !batch.empty()) end_call();
  batches.left_out = batch.size();
  return batches;
}

TEST_CASE("a token budget counts the padding") {
  GroupingRule rule;
  rule.max_tokens = 10;
  CallGrouper grouper(rule);
  for (const int64_t length : {3, 5, 4, 11, 0, 0}) grouper.Add(length);
  grouper.Finish();
  // 3 and 5 are padded to 5 each; with 4 there would be 15. 11 fits nowhere.
  CHECK(grouper.history().Histogram().counts ==
        std::vector<SizeCount>{
            {{1, 4, 1}, 1, 4}, {{1, 11, 1}, 1, 11}, {{2, 0, 1}, 1, 0}, {{2, 5, 1}, 1, 8}});
  CHECK(grouper.totals().too_long == 1);
  CHECK(grouper.totals().calls == 4);
  CHECK(grouper.totals().lengths == 6);
}

TEST_CASE("an incomplete last batch is omitted") {
  GroupingRule rule;
  rule.batch = 4;
  CallGrouper grouper(rule);
  grouper.Add(7, 9);
  grouper.Add(2, 2);
  grouper.Finish();
  CHECK(grouper.history().Histogram().counts == std::vector<SizeCount>{{{7, 1, 1}, 2, 56}});
  CHECK(grouper.history().rows() == 4);
  CHECK(grouper.totals().left_out == 3);
}

TEST_CASE("calls are those of a batcher that goes length by length") {
  std::mt19937 random(20262);
  for (int round = 0; round < 2000; ++round) {
    GroupingRule rule;
    if (round % 3 == 0) rule.batch = 1 + random() % 5;
    if (round % 3 == 1) rule.max_tokens = 1 + random() % 40;
    CallGrouper grouper(rule);
    std::vector<int64_t> lengths;
    for (uint64_t i = random() % 30; i > 0; --i) {
      const auto length = static_cast<int64_t>(random() % 15);
      const uint64_t times = random() % 4 == 0 ? random() % 20 : 1;
      REQUIRE(grouper.Add(length, times));
      lengths.insert(lengths.end(), times, length);
    }
    grouper.Finish();
    const Batches expected = Grouped(lengths, rule);
    const SizeHistogram histogram = grouper.history().Histogram();
    REQUIRE(histogram.counts.size() == expected.counts.size());
    for (const SizeCount& count : histogram.counts) {
      REQUIRE(expected.counts.contains(count.sizes));
      REQUIRE(std::pair(count.calls, count.real) == expected.counts.at(count.sizes));
    }
    REQUIRE(grouper.totals().lengths == lengths.size());
    REQUIRE(grouper.totals().calls == expected.calls);
    REQUIRE(grouper.totals().left_out == expected.left_out);
    REQUIRE(grouper.totals().too_long == expected.too_long);
  }
}

TEST_CASE("a length that repeats endlessly takes no time") {
  GroupingRule rule;
  rule.max_tokens = 100;
  CallGrouper grouper(rule);
  REQUIRE(grouper.Add(7, SizeHistory::kMaxCalls));
  REQUIRE_FALSE(grouper.Add(7));
  grouper.Finish();
  CHECK(grouper.totals().calls == (SizeHistory::kMaxCalls + 13) / 14);
}

}  // namespace
}  // namespace shapewise
