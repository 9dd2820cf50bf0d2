// Sizes of calls: whatever their number, sums are exact, and parts make up the whole.

#include "model/size_history.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

struct Call {
  Sizes sizes;
  uint64_t calls;
  double real;
};

/// Counts of calls number `first` up to `end` of `calls`, one by one.
std::map<Sizes, std::pair<uint64_t, double>> Counted(const std::vector<Call>& calls, uint64_t first,
                                                     uint64_t end) {
  std::map<Sizes, std::pair<uint64_t, double>> counts;
  uint64_t at = 0;
  for (const Call& call : calls) {
    const uint64_t begin = std::clamp(first, at, at + call.calls);
    const uint64_t inside = std::clamp(end, begin, at + call.calls) - begin;
    at += call.calls;
    if (inside == 0) continue;
    counts[call.sizes].first += inside;
    counts[call.sizes].second +=
        call.real / static_cast<double>(call.calls) * static_cast<double>(inside);
  }
  return counts;
}

void RequireSame(const SizeHistogram& histogram,
                 const std::map<Sizes, std::pair<uint64_t, double>>& counts) {
  REQUIRE(histogram.counts.size() == counts.size());
  auto expected = counts.begin();
  uint64_t calls = 0;
  for (const SizeCount& count : histogram.counts) {
    REQUIRE(count.sizes == expected->first);
    REQUIRE(count.calls == expected->second.first);
    REQUIRE(count.real == Approx(expected->second.second));
    calls += count.calls;
    ++expected;
  }
  REQUIRE(histogram.calls == calls);
}

TEST_CASE("calls are counted by their sizes, ascending") {
  SizeHistory history;
  history.Add({7, 1, 1});
  history.Add({3, 1, 1}, 2);
  history.Add({7, 1, 1}, 1, 5);  // of which 2 were padding
  history.Add({0, 1, 1});
  const SizeHistogram all = history.Histogram();
  REQUIRE(all.counts ==
          std::vector<SizeCount>{{{0, 1, 1}, 1, 0}, {{3, 1, 1}, 2, 6}, {{7, 1, 1}, 2, 12}});
  REQUIRE(all.calls == 5);
  REQUIRE(all.real == 18);
  REQUIRE(history.Histogram(1, 4).counts ==
          std::vector<SizeCount>{{{3, 1, 1}, 2, 6}, {{7, 1, 1}, 1, 5}});
  REQUIRE(history.Histogram(2, 3).counts == std::vector<SizeCount>{{{3, 1, 1}, 1, 3}});
  REQUIRE(history.Histogram(5, 9).counts.empty());
}

TEST_CASE("a call of several rows contains all of them") {
  SizeHistory history(2, 4);
  history.Add({2, 10, 1}, 3);
  REQUIRE(history.Histogram().real == 3 * 4 * 2 * 10);
  REQUIRE(history.Histogram().rows == 4);
}

TEST_CASE("more calls than can be counted are refused") {
  SizeHistory history;
  REQUIRE(history.Add({1, 1, 1}, SizeHistory::kMaxCalls - 1));
  REQUIRE_FALSE(history.Add({2, 1, 1}, 2));
  REQUIRE(history.Add({2, 1, 1}, 1));
  REQUIRE(history.calls() == SizeHistory::kMaxCalls);
  REQUIRE(history.Histogram(history.calls() - 2, history.calls()).counts.size() == 2);
}

TEST_CASE("any part of a history is counted as one by one") {
  std::mt19937 random(20261);
  for (int round = 0; round < 200; ++round) {
    const size_t dims = 1 + random() % 3;
    SizeHistory history(dims, 1 + static_cast<int64_t>(random() % 3));
    std::vector<Call> calls;
    const bool has_padding = random() % 2 == 0;
    for (uint64_t i = random() % 60; i > 0; --i) {
      Call call{{1, 1, 1}, 1 + random() % 4, 0};
      call.real = static_cast<double>(call.calls) * static_cast<double>(history.rows());
      for (size_t dim = 0; dim < dims; ++dim) {
        call.sizes[dim] = random() % 4;
        call.real *= static_cast<double>(call.sizes[dim]);
      }
      if (has_padding && random() % 3 == 0) call.real /= 2;
      REQUIRE(history.Add(call.sizes, call.calls, call.real));
      calls.push_back(call);
    }
    for (int part = 0; part < 10; ++part) {
      const uint64_t first = random() % (history.calls() + 2);
      const uint64_t end = first + random() % (history.calls() + 2);
      RequireSame(history.Histogram(first, end), Counted(calls, first, end));
    }
  }
}

TEST_CASE("a history of any length can be cut at multiples of its granularity") {
  // Two waves of sizes, and runs that are longer and shorter than a block.
  std::mt19937 random(7);
  SizeHistory history(1, 2);
  std::vector<Call> calls;
  for (uint64_t i = 0; i < 3 * SizeHistory::kKeptInOrder / 2; ++i) {
    const int64_t base = i % 1'000'000 < 500'000 ? 100 : 300;
    const Sizes sizes{base + static_cast<int64_t>(random() % 64), 1, 1};
    const uint64_t times = random() % 100'000 == 0 ? 1000 + random() % 100 : 1 + random() % 2;
    const double real = static_cast<double>(times) * static_cast<double>(2 * sizes[0]);
    history.Add(sizes, times, i > 4'000'000 ? real - 1 : real);
    calls.push_back({sizes, times, i > 4'000'000 ? real - 1 : real});
  }
  const uint64_t granularity = history.granularity();
  REQUIRE(granularity > 1);
  REQUIRE(granularity * 10'000 < history.calls());
  REQUIRE(history.rounded_to() == 1);
  for (const double share : {0.1, 0.5, 0.8}) {
    const auto cut = static_cast<uint64_t>(share * static_cast<double>(history.calls()));
    const uint64_t exact = cut - cut % granularity;
    const SizeHistogram before = history.Histogram(0, cut);
    REQUIRE(before.calls == exact);
    // Real elements within a block are gathered by size, so that cuts between blocks stay exact.
    RequireSame(before, Counted(calls, 0, exact));
    RequireSame(history.Histogram(cut, history.calls()), Counted(calls, exact, history.calls()));
  }
}

TEST_CASE("too many distinct sizes are rounded up together, and no call is lost") {
  SizeHistory history(2);
  double real = 0;
  constexpr int64_t kSizes = 3'000'000;
  for (int64_t i = 0; i < kSizes; ++i) {
    const Sizes sizes{i, 1 + i % 2, 1};
    history.Add(sizes);
    real += static_cast<double>(i * (1 + i % 2));
  }
  REQUIRE(history.rounded_to() == 4);
  const SizeHistogram all = history.Histogram();
  REQUIRE(all.counts.size() <= SizeHistory::kMaxDistinct);
  REQUIRE(all.calls == kSizes);
  REQUIRE(all.real == real);
  uint64_t at_eight = 0;
  for (const SizeCount& count : all.counts) {
    REQUIRE(count.sizes[0] % 4 == 0);
    REQUIRE(count.sizes[1] == 4);
    REQUIRE(count.sizes[2] == 1);
    if (count.sizes[0] == 8) at_eight += count.calls;
  }
  REQUIRE(at_eight == 4);  // 5, 6, 7, 8
  const SizeHistogram first = history.Histogram(0, kSizes / 3);
  const SizeHistogram rest = history.Histogram(kSizes / 3, kSizes);
  REQUIRE(first.calls + rest.calls == kSizes);
  REQUIRE(first.real + rest.real == real);
}

}  // namespace
}  // namespace shapewise
