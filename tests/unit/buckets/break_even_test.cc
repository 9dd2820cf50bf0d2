#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "buckets/outcomes.h"
#include "support/random.h"

namespace shapewise {
namespace {

ServingWay Way(const std::string& name, size_t buckets, double prices, double call) {
  ServingWay way;
  way.name = name;
  way.buckets = buckets;
  way.prices = prices;
  way.call = call;
  return way;
}

// 45 s and 0.011 s a call against 60 s and 0.01 s: equal at 15,000 calls.
TEST_CASE("The better way changes where the lines cross") {
  const std::vector<BreakEven> points =
      BreakEvens({Way("two buckets", 2, 60, 0.010), Way("dynamic", 0, 45, 0.011)});
  REQUIRE(points.size() == 2);
  CHECK(points[0].from_calls == 100);
  CHECK(points[0].name == "dynamic");
  CHECK(points[0].seconds_a_call == Approx(0.461));
  CHECK(points[1].from_calls == 15'000);
  CHECK(points[1].name == "two buckets");
  CHECK(points[1].seconds_a_call == Approx(0.014));
}

TEST_CASE("A way that is never the best is not listed") {
  const std::vector<BreakEven> points =
      BreakEvens({Way("a", 0, 10, 0.02), Way("dear", 0, 500, 0.019), Way("b", 0, 100, 0.01)});
  REQUIRE(points.size() == 2);
  CHECK(points[1].name == "b");
  CHECK(points[1].from_calls == 9'000);
}

TEST_CASE("A few more buckets are no news") {
  const std::vector<BreakEven> points =
      BreakEvens({Way("4", 4, 120, 0.0100), Way("5", 5, 150, 0.0099), Way("6", 6, 180, 0.00985)});
  REQUIRE(points.size() == 2);
  CHECK(points[0].name == "4");
  CHECK(points[1].name == "6");
  CHECK(points[1].from_calls == 600'000);
}

TEST_CASE("The listed way is the best of all ways") {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<ServingWay> ways;
    const uint64_t count = 1 + random.Below(6);
    for (uint64_t i = 0; i < count; ++i) {
      ways.push_back(Way(std::to_string(i), 0, static_cast<double>(random.Below(500)),
                         0.001 * static_cast<double>(1 + random.Below(40))));
    }
    const std::vector<BreakEven> points = BreakEvens(ways);
    REQUIRE(!points.empty());
    for (const double calls : {100.0, 1e3, 12'345.0, 1e5, 1e6, 1e8}) {
      const BreakEven* reported = nullptr;
      for (const BreakEven& point : points) {
        if (static_cast<double>(point.from_calls) <= calls) reported = &point;
      }
      REQUIRE(reported != nullptr);
      double least = ways.front().Seconds(calls);
      for (const ServingWay& way : ways) least = std::min(least, way.Seconds(calls));
      CHECK(ways[std::stoul(reported->name)].Seconds(calls) == Approx(least));
    }
  }
}

}  // namespace
}  // namespace shapewise
