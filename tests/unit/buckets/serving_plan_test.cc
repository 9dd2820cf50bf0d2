#include "buckets/serving_plan.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

namespace shapewise {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Sizes 1 to 4: many short calls, few long ones.
SizeLine ShortCalls() {
  SizeLine line;
  int64_t size = 0;
  for (const double weight : {100.0, 50.0, 2.0, 1.0}) {
    ++size;
    line.stops.push_back(
        {.size = size, .weight = weight, .cost = static_cast<double>(size), .bucket = size});
  }
  return line;
}

ServingMode Buckets(double price) {
  return {.kind = ServingKind::kBucket, .price = price, .cost = {1, 2, 3, 4}};
}

/// Each call at its own size, half as slow again.
ServingMode Dynamic(double price) {
  return {.kind = ServingKind::kDynamic, .price = price, .cost = {1.5, 3, 4.5, 6}};
}

std::vector<ServingKind> Kinds(const ServingPlan& plan) {
  std::vector<ServingKind> kinds;
  kinds.reserve(plan.ranges.size());
  for (const ServedRange& range : plan.ranges) kinds.push_back(range.kind);
  return kinds;
}

TEST_CASE("Buckets where calls are many, the dynamic graph for the rest", "[buckets]") {
  const ServingPlan plan = BestServingPlan(ShortCalls(), {Buckets(10), Dynamic(3)}, {});
  CHECK(Kinds(plan) ==
        std::vector{ServingKind::kBucket, ServingKind::kBucket, ServingKind::kDynamic});
  CHECK(plan.ranges[2].first == 2);
  CHECK(plan.ranges[2].last == 3);
  CHECK(plan.cost == 100 + 100 + 9 + 6);
  CHECK(plan.prices == 10 + 10 + 3);
}

TEST_CASE("A dynamic graph alone where graphs are dear", "[buckets]") {
  const ServingPlan plan = BestServingPlan(ShortCalls(), {Buckets(1000), Dynamic(3)}, {});
  CHECK(Kinds(plan) == std::vector{ServingKind::kDynamic});
  CHECK(plan.ranges[0].last == 3);
  CHECK(plan.Total() == 150 + 150 + 9 + 6 + 3);
}

TEST_CASE("Buckets alone where the dynamic graph is dear", "[buckets]") {
  const ServingPlan plan = BestServingPlan(ShortCalls(), {Buckets(10), Dynamic(300)}, {});
  CHECK(Kinds(plan) == std::vector(3, ServingKind::kBucket));
  CHECK(plan.ranges[2].first == 2);
  CHECK(plan.cost == 100 + 100 + 12);
}

TEST_CASE("A limit on graphs selects those that save most", "[buckets]") {
  const std::vector<ServingMode> modes = {Buckets(10), Dynamic(3)};
  const ServingPlan one = BestServingPlan(ShortCalls(), modes, 1);
  // A bucket of 2 for both would cost 300; 1 saves 50, 2 saves 50 as well: the first is kept.
  CHECK(one.Total() == 100 + 150 + 9 + 6 + 10 + 3);
  const ServingPlan none = BestServingPlan(ShortCalls(), modes, 0);
  CHECK(Kinds(none) == std::vector{ServingKind::kDynamic});
  CHECK(BestServingPlan(ShortCalls(), modes, 5).Total() ==
        BestServingPlan(ShortCalls(), modes, {}).Total());
}

TEST_CASE("No plan is reported if none serves every size", "[buckets]") {
  const ServingPlan plan = BestServingPlan(ShortCalls(), {Buckets(10)}, 0);
  CHECK(plan.ranges.empty());
  CHECK(plan.Total() == kNever);
  ServingMode dynamic = Dynamic(1);
  dynamic.cost[3] = kNever;
  CHECK(BestServingPlan(ShortCalls(), {dynamic}, {}).ranges.empty());
}

TEST_CASE("Captures belong to the dynamic graph if there is one, else to one of their own",
          "[buckets]") {
  const ServingMode captured{
      .kind = ServingKind::kCaptured, .price = 1, .cost = {0.5, 1, 1.5, 2}, .base_price = 40};
  const ServingPlan own = BestServingPlan(ShortCalls(), {captured}, {});
  CHECK(own.prices == 3 + 40);
  // The fourth size is called once and not worth a capture of 1 once the dynamic graph is there.
  ServingMode dynamic = Dynamic(40);
  dynamic.cost[3] = 2.5;
  const ServingPlan both = BestServingPlan(ShortCalls(), {captured, dynamic}, {});
  CHECK(Kinds(both) == std::vector{ServingKind::kCaptured, ServingKind::kCaptured,
                                   ServingKind::kCaptured, ServingKind::kDynamic});
  CHECK(both.prices == 3 + 40);
}

TEST_CASE("A graph for a range of sizes runs each call at its own size", "[buckets]") {
  const ServingMode range{.kind = ServingKind::kDynamicRange, .price = 20, .cost = {5, 2, 3, 4}};
  const ServingPlan plan = BestServingPlan(ShortCalls(), {Buckets(30), range}, {});
  CHECK(Kinds(plan) == std::vector{ServingKind::kBucket, ServingKind::kDynamicRange});
  CHECK(plan.ranges[1].first == 1);
  CHECK(plan.cost == 100 + 100 + 6 + 4);
  CHECK(plan.prices == 50);
}

TEST_CASE("Where a bucket must be there is one, also where the dynamic graph is cheaper",
          "[buckets]") {
  SizeLine line = ShortCalls();
  line.stops[2].must_end = true;
  const ServingPlan plan = BestServingPlan(line, {Buckets(1000), Dynamic(3)}, {});
  CHECK(Kinds(plan) ==
        std::vector{ServingKind::kDynamic, ServingKind::kBucket, ServingKind::kDynamic});
  CHECK(plan.ranges[1].first == 2);
  CHECK(plan.ranges[1].last == 2);
}

}  // namespace
}  // namespace shapewise
