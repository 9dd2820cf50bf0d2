// The exact solvers against all sets of thousands of small problems.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "buckets/frontier.h"
#include "every_set.h"

namespace shapewise {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

bool IsNear(double left, double right, bool is_exact) {
  return is_exact ? left == right : std::abs(left - right) <= 1e-12 * std::abs(right);
}

/// The fewest buckets of at most `most` with the least cost plus price, and that total.
std::pair<size_t, double> Best(const std::map<size_t, double>& least, size_t most, double price) {
  double total = kNoBound;
  for (const auto& [buckets, cost] : least) {
    if (buckets <= most) total = std::min(total, cost + (price * static_cast<double>(buckets)));
  }
  for (const auto& [buckets, cost] : least) {
    const double here = cost + (price * static_cast<double>(buckets));
    if (buckets <= most && here <= total * (1 + 1e-14)) return {buckets, total};
  }
  return {0, kNoBound};
}

double TotalOf(const BucketSet& set, double price) {
  return set.cost + (price * static_cast<double>(set.sizes.size()));
}

/// All solvers on `line`, whose least costs are known.
void CheckSolvers(const SizeLine& line, const std::map<size_t, double>& least, bool is_exact,
                  std::mt19937_64& random) {
  const size_t fewest = least.begin()->first;
  const size_t most = least.rbegin()->first;
  CHECK(ExactFrontier(line, fewest - 1).empty());
  const std::vector<BucketSet> frontier = ExactFrontier(line, most + 1);
  REQUIRE(frontier.size() == most + 2 - fewest);
  for (size_t i = 0; i < frontier.size(); ++i) {
    const auto [buckets, cost] = Best(least, fewest + i, 0);
    CHECK(IsNear(frontier[i].cost, cost, is_exact));
    CHECK(frontier[i].sizes.size() == buckets);
  }
  const size_t some = fewest + (random() % (most - fewest + 1));
  const std::vector<BucketSet> part = ExactFrontier(line, some);
  REQUIRE(part.size() == some + 1 - fewest);
  CHECK(part.back().sizes == frontier[some - fewest].sizes);

  const double span = least.at(fewest) - Best(least, most, 0).second;
  const auto whole = static_cast<double>(random() % 20);
  for (const double price : {0.0, whole, span / 3, span * 0.05, (span * 2) + 1, 1e200}) {
    const BucketSet set = BestAtPrice(line, price);
    const auto [buckets, total] = Best(least, most, price);
    CHECK(IsNear(TotalOf(set, price), total, is_exact && price == std::trunc(price)));
    CHECK(set.sizes.size() == buckets);
  }

  const std::vector<PriceRange> ranges = PriceFrontier(line, most + 1);
  REQUIRE_FALSE(ranges.empty());
  CHECK(ranges.front().from == 0);
  CHECK(ranges.back().to == kNoBound);
  CHECK(ranges.back().set.sizes.size() == fewest);
  for (size_t i = 0; i < ranges.size(); ++i) {
    const PriceRange& range = ranges[i];
    CHECK(range.from < range.to);
    if (i > 0) {
      CHECK(range.from == ranges[i - 1].to);
      CHECK(range.set.sizes.size() < ranges[i - 1].set.sizes.size());
    }
    for (const double price : {range.from, std::min((range.from + range.to) / 2, range.from + 1)}) {
      CHECK(IsNear(TotalOf(range.set, price), Best(least, most, price).second, false));
    }
    const double inside = std::min((range.from + range.to) / 2, range.from + 1);
    CHECK(range.set.sizes.size() == Best(least, most, inside).first);
  }
  const std::vector<PriceRange> last = PriceFrontier(line, 1);
  REQUIRE(last.size() == 1);
  CHECK(last[0].from == ranges.back().from);
  CHECK(last[0].to == kNoBound);
}

void CheckProblem(const SmallProblem& problem, std::mt19937_64& random) {
  Expected<SizeLine> line =
      MakeSizeLine(problem.calls, problem.cost, problem.limits, problem.mix_tail);
  REQUIRE(static_cast<bool>(line));
  CHECK(line->is_monotone);
  const bool is_exact = problem.cost.IsPaddingOnly() && !problem.mix_tail;
  const std::map<size_t, double> least = LeastCosts(problem);
  CheckSolvers(*line, least, is_exact, random);

  const std::vector<int64_t> possible = PossibleSizes(problem);
  const std::map<int64_t, double> expected = ExpectedCalls(problem);
  for (const BucketSet& set : ExactFrontier(*line, possible.size())) {
    CHECK(set.sizes.back() == possible.back());
    CHECK(std::ranges::is_sorted(set.sizes));
    CHECK(std::ranges::includes(possible, set.sizes));
    for (const int64_t forced : problem.limits.forced) {
      CHECK(std::ranges::binary_search(set.sizes, forced));
    }
    CHECK(IsNear(DirectCost(problem, expected, set.sizes), set.cost, is_exact));
  }
}

TEST_CASE("No set of buckets is better than the solvers', for any number and any price",
          "[buckets]") {
  const auto [kind, name] = GENERATE(
      table<CostKind, const char*>({{CostKind::kPadding, "padding"},
                                    {CostKind::kLinear, "linear"},
                                    {CostKind::kQuadratic, "quadratic"},
                                    {CostKind::kTile, "tile"},
                                    {CostKind::kRisingCurve, "a curve that rises"},
                                    {CostKind::kWildCurve, "a curve that rises and falls"}}));
  std::mt19937_64 random(static_cast<uint64_t>(kind));
  for (int instance = 0; instance < 2000; ++instance) {
    INFO(name << ", instance " << instance);
    CheckProblem(RandomProblem(random, kind), random);
  }
}

TEST_CASE("The same on lines of any weights and costs, also falling ones", "[buckets]") {
  const bool is_whole = GENERATE(true, false);
  const bool is_monotone = GENERATE(true, false);
  std::mt19937_64 random(7);
  for (int instance = 0; instance < 4000; ++instance) {
    INFO("instance " << instance << ", whole " << is_whole << ", monotone " << is_monotone);
    const size_t stops = 1 + (random() % 10);
    // Small numbers tie often, large ones seldom.
    const int range = instance % 2 == 0 ? 3 : 100'000;
    const SizeLine line = RandomLine(random, stops, range, is_whole, is_monotone);
    CheckSolvers(line, LeastCosts(line), is_whole, random);
  }
}

}  // namespace
}  // namespace shapewise
