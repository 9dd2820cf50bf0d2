#include "buckets/frontier.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "every_set.h"

namespace shapewise {
namespace {

using SizeList = std::vector<int64_t>;

/// Calls of sizes 1, 2, 3 ... with these counts, padding only.
SizeLine Line(const std::vector<double>& weights) {
  SizeLine line;
  for (const double weight : weights) {
    const auto size = static_cast<int64_t>(line.stops.size()) + 1;
    line.stops.push_back(
        {.size = size, .weight = weight, .cost = static_cast<double>(size), .bucket = size});
  }
  return line;
}

TEST_CASE("The frontier has the best set for each number of buckets", "[buckets]") {
  // Ten calls of 1, none of 2, one of 3, five of 4.
  const std::vector<BucketSet> frontier = ExactFrontier(Line({10, 0, 1, 5}), 3);
  REQUIRE(frontier.size() == 3);
  CHECK(frontier[0].sizes == SizeList{4});
  CHECK(frontier[0].cost == 64);
  CHECK(frontier[1].sizes == SizeList{1, 4});
  CHECK(frontier[1].cost == 34);
  CHECK(frontier[2].sizes == SizeList{1, 3, 4});
  CHECK(frontier[2].cost == 33);
}

TEST_CASE("A bucket that saves nothing is left out, and the frontier goes on as it is",
          "[buckets]") {
  const std::vector<BucketSet> frontier = ExactFrontier(Line({10, 0, 0, 5}), 50);
  REQUIRE(frontier.size() == 50);
  CHECK(frontier[1].sizes == SizeList{1, 4});
  CHECK(frontier[49].sizes == SizeList{1, 4});
  CHECK(frontier[49].cost == 30);
}

TEST_CASE("Forced stops are in every set, and no set is smaller", "[buckets]") {
  SizeLine line = Line({10, 1, 1, 5});
  line.stops[1].must_end = true;
  CHECK(ExactFrontier(line, 1).empty());
  const std::vector<BucketSet> frontier = ExactFrontier(line, 3);
  REQUIRE(frontier.size() == 2);
  CHECK(frontier[0].sizes == SizeList{2, 4});
  CHECK(frontier[1].sizes == SizeList{1, 2, 4});
  CHECK(BestAtPrice(line, 1e9).sizes == SizeList{2, 4});
}

TEST_CASE("No set ends where no bucket may be", "[buckets]") {
  SizeLine line = Line({10, 1, 1, 5});
  line.stops[0].may_end = false;
  CHECK(ExactFrontier(line, 2)[1].sizes == SizeList{2, 4});
  CHECK(ExactFrontier(line, 9).back().sizes == SizeList{2, 3, 4});
}

TEST_CASE("A bucket is bought if it saves more than its price", "[buckets]") {
  // The bucket 1 saves 30, the bucket 3 then 1.
  const SizeLine line = Line({10, 0, 1, 5});
  CHECK(BestAtPrice(line, 0).sizes == SizeList{1, 3, 4});
  CHECK(BestAtPrice(line, 0.5).sizes == SizeList{1, 3, 4});
  CHECK(BestAtPrice(line, 1).sizes == SizeList{1, 4});
  CHECK(BestAtPrice(line, 29.9).sizes == SizeList{1, 4});
  CHECK(BestAtPrice(line, 30).sizes == SizeList{4});
  CHECK(BestAtPrice(line, 1).cost == 34);
}

TEST_CASE("All prices at once: where each set is best", "[buckets]") {
  const SizeLine line = Line({10, 0, 1, 5});
  const std::vector<PriceRange> ranges = PriceFrontier(line, 10);
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0].from == 0);
  CHECK(ranges[0].to == 1);
  CHECK(ranges[0].set.sizes == SizeList{1, 3, 4});
  CHECK(ranges[1].to == 30);
  CHECK(ranges[1].set.sizes == SizeList{1, 4});
  CHECK(ranges[2].from == 30);
  CHECK(ranges[2].to == std::numeric_limits<double>::infinity());
  CHECK(ranges[2].set.sizes == SizeList{4});
  const std::vector<PriceRange> dear = PriceFrontier(line, 2);
  REQUIRE(dear.size() == 2);
  CHECK(dear[0].from == 1);
  CHECK(dear[0].set.sizes == SizeList{1, 4});
}

TEST_CASE("One size needs one bucket", "[buckets]") {
  const SizeLine line = Line({3});
  CHECK(ExactFrontier(line, 2)[1].sizes == SizeList{1});
  CHECK(BestAtPrice(line, 0).sizes == SizeList{1});
  CHECK(PriceFrontier(line, 5).size() == 1);
}

TEST_CASE("Costs that differ by rounding only do not make a bucket", "[buckets]") {
  // Two sizes that cost the same, as sums of tenths that rounding parts.
  SizeLine line;
  line.stops = {{.size = 1, .weight = 3, .cost = 0.1 + 0.2, .bucket = 1},
                {.size = 2, .weight = 3, .cost = std::nextafter(0.1 + 0.2, 1), .bucket = 2}};
  CHECK(ExactFrontier(line, 2)[1].sizes == SizeList{2});
  CHECK(BestAtPrice(line, 0).sizes == SizeList{2});
}

TEST_CASE("Whole costs are exact also where they are large", "[buckets]") {
  // Billions of tokens, of which a bucket saves one.
  SizeLine line = Line({0, 0, 0});
  for (SizeStop& stop : line.stops) stop.cost += 1e6;
  line.stops[0].weight = 1;
  line.stops[2].weight = 1e9;
  line.stops[1].cost = line.stops[2].cost;
  line.stops[0].cost = line.stops[2].cost - 1;
  const std::vector<BucketSet> frontier = ExactFrontier(line, 2);
  CHECK(frontier[0].cost == (1e9 + 1) * 1'000'003);
  CHECK(frontier[1].cost == frontier[0].cost - 1);
  CHECK(frontier[1].sizes == SizeList{1, 3});
}

TEST_CASE("Each bucket more saves less than the one before", "[buckets]") {
  std::mt19937_64 random(3);
  for (int instance = 0; instance < 50; ++instance) {
    const SizeLine line = RandomLine(random, 200, 1000, true, true);
    const size_t fewest = BestAtPrice(line, 1e18).sizes.size();
    const std::vector<BucketSet> frontier = ExactFrontier(line, fewest + 60);
    for (size_t i = 2; i < frontier.size(); ++i) {
      CHECK(frontier[i - 2].cost - frontier[i - 1].cost >= frontier[i - 1].cost - frontier[i].cost);
    }
  }
}

/// The recurrence written down: least costs of at most 0, 1, 2 ... buckets.
std::vector<double> PlainCosts(const SizeLine& line, size_t most) {
  const double never = std::numeric_limits<double>::infinity();
  std::vector<double> before(line.stops.size() + 1, never);
  before[0] = 0;
  std::vector<double> costs = {never};
  for (size_t layer = 0; layer < most; ++layer) {
    std::vector<double> after = before;
    for (size_t first = 0; first < line.stops.size(); ++first) {
      double weight = 0;
      for (size_t last = first; last < line.stops.size(); ++last) {
        const SizeStop& stop = line.stops[last];
        weight += stop.weight;
        if (stop.may_end) {
          after[last + 1] = std::min(after[last + 1], before[first] + (weight * stop.cost));
        }
        if (stop.must_end) break;
      }
    }
    before = after;
    costs.push_back(before.back());
  }
  return costs;
}

TEST_CASE("On longer lines the solvers find what looking at every pair finds", "[buckets]") {
  const bool is_whole = GENERATE(true, false);
  const bool is_monotone = GENERATE(true, false);
  std::mt19937_64 random(4);
  for (int instance = 0; instance < 20; ++instance) {
    INFO("instance " << instance << ", whole " << is_whole << ", monotone " << is_monotone);
    const int range = instance % 2 == 0 ? 5 : 100'000;
    const SizeLine line = RandomLine(random, 300, range, is_whole, is_monotone);
    const size_t fewest = BestAtPrice(line, 1e18).sizes.size();
    const std::vector<BucketSet> frontier = ExactFrontier(line, fewest + 20);
    const std::vector<double> plain = PlainCosts(line, fewest + 20);
    REQUIRE(frontier.size() == 21);
    for (size_t i = 0; i < frontier.size(); ++i) {
      const double expected = plain[fewest + i];
      CHECK(std::abs(frontier[i].cost - expected) <= (is_whole ? 0 : 1e-12) * expected);
    }
  }
}

TEST_CASE("The order of forced sizes, and naming one twice, changes nothing", "[buckets]") {
  SizeHistogram calls;
  for (int64_t size = 1; size <= 300; size += 7) {
    calls.counts.push_back({.sizes = {size, 1, 1}, .calls = static_cast<uint64_t>(size % 11)});
  }
  Expected<SizeLine> once = MakeSizeLine(calls, {}, {.forced = {50, 64, 201}}, true);
  Expected<SizeLine> again = MakeSizeLine(calls, {}, {.forced = {201, 64, 50, 64}}, true);
  REQUIRE(static_cast<bool>(once));
  REQUIRE(static_cast<bool>(again));
  const std::vector<BucketSet> left = ExactFrontier(*once, 9);
  const std::vector<BucketSet> right = ExactFrontier(*again, 9);
  REQUIRE(left.size() == 6);
  REQUIRE(right.size() == 6);
  for (size_t i = 0; i < left.size(); ++i) CHECK(left[i].sizes == right[i].sizes);
}

}  // namespace
}  // namespace shapewise
