#include "buckets/size_line.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace shapewise {
namespace {

SizeHistogram Calls(std::initializer_list<std::pair<int64_t, uint64_t>> counts) {
  SizeHistogram calls;
  for (const auto& [size, times] : counts) {
    calls.counts.push_back({.sizes = {size, 1, 1}, .calls = times});
    calls.calls += times;
  }
  return calls;
}

std::vector<SizeStop> Stops(const SizeHistogram& calls, const BucketLimits& limits,
                            const CostModel& cost = {}, bool mix_tail = false) {
  Expected<SizeLine> line = MakeSizeLine(calls, cost, limits, mix_tail);
  REQUIRE(static_cast<bool>(line));
  CHECK(line->is_monotone);
  return line->stops;
}

std::vector<int64_t> StopSizes(const std::vector<SizeStop>& stops) {
  std::vector<int64_t> sizes;
  sizes.reserve(stops.size());
  for (const SizeStop& stop : stops) sizes.push_back(stop.size);
  return sizes;
}

std::string WhyNot(const SizeHistogram& calls, const BucketLimits& limits) {
  Expected<SizeLine> line = MakeSizeLine(calls, {}, limits, false);
  REQUIRE_FALSE(static_cast<bool>(line));
  return llvm::toString(line.takeError());
}

CostModel Curve(std::initializer_list<std::pair<int64_t, double>> points) {
  CostCurve curve;
  for (const auto& [size, seconds] : points) {
    curve.points.push_back({.size = size, .seconds = seconds});
  }
  Expected<CostModel> model = CostModel::OfCurve(std::move(curve));
  REQUIRE(static_cast<bool>(model));
  return *model;
}

TEST_CASE("Every size up to 32 may be a bucket, then multiples of the alignment", "[buckets]") {
  CHECK(AlignedSize(0, {}) == 1);
  CHECK(AlignedSize(1, {}) == 1);
  CHECK(AlignedSize(31, {}) == 31);
  CHECK(AlignedSize(32, {}) == 32);
  CHECK(AlignedSize(33, {}) == 40);
  CHECK(AlignedSize(40, {}) == 40);
  CHECK(AlignedSize(33, {.alignment = 64}) == 64);
  CHECK(AlignedSize(20, {.min = 24}) == 24);
  CHECK(AlignedSize(20, {.min = 50}) == 56);
}

TEST_CASE("Calls are gathered at the sizes that serve them", "[buckets]") {
  const std::vector<SizeStop> stops =
      Stops(Calls({{3, 1}, {33, 2}, {39, 4}, {40, 8}, {41, 16}, {90, 32}}), {});
  CHECK(StopSizes(stops) == std::vector<int64_t>{3, 40, 48, 96});
  CHECK(stops[0].weight == 1);
  CHECK(stops[1].weight == 14);
  CHECK(stops[2].weight == 16);
  CHECK(stops[3].weight == 32);
  CHECK(stops[1].cost == 40);
  CHECK(stops[1].bucket == 40);
}

TEST_CASE("A full batch of rows costs its rows", "[buckets]") {
  SizeHistogram calls = Calls({{3, 1}, {5, 1}});
  calls.rows = 7;
  const std::vector<SizeStop> stops = Stops(calls, {});
  CHECK(stops[0].cost == 21);
  CHECK(stops[1].cost == 35);
}

TEST_CASE("The last stop serves the declared maximum, also where no call came near it",
          "[buckets]") {
  const SizeHistogram calls = Calls({{3, 1}, {50, 2}});
  CHECK(StopSizes(Stops(calls, {.max = 128})) == std::vector<int64_t>{3, 56, 128});
  CHECK(StopSizes(Stops(calls, {.max = 100})) == std::vector<int64_t>{3, 56, 104});
  CHECK(StopSizes(Stops(calls, {.max = 128, .forbidden = {128, 136}})) ==
        std::vector<int64_t>{3, 56, 144});
  CHECK(StopSizes(Stops(calls, {.max = 128, .forced = {128}})) == std::vector<int64_t>{3, 56, 128});
}

TEST_CASE("Calls beyond the maximum are left out", "[buckets]") {
  const std::vector<SizeStop> stops = Stops(Calls({{3, 1}, {50, 2}, {51, 4}}), {.max = 50});
  CHECK(StopSizes(stops) == std::vector<int64_t>{3, 56});
  CHECK(stops[1].weight == 2);
}

TEST_CASE("A forced size is a stop, and where the calls below it go, multiple or not",
          "[buckets]") {
  const std::vector<SizeStop> stops =
      Stops(Calls({{33, 1}, {50, 2}, {51, 4}, {90, 8}}), {.forced = {50}});
  CHECK(StopSizes(stops) == std::vector<int64_t>{40, 50, 56, 96});
  CHECK(stops[1].must_end);
  CHECK(stops[1].weight == 2);
  CHECK_FALSE(stops[2].must_end);
}

TEST_CASE("A forced size beyond all calls is the maximum if none is declared", "[buckets]") {
  CHECK(StopSizes(Stops(Calls({{33, 1}}), {.forced = {512}})) == std::vector<int64_t>{40, 512});
}

TEST_CASE("A forbidden size is none, its calls go to the next", "[buckets]") {
  const std::vector<SizeStop> stops =
      Stops(Calls({{33, 1}, {45, 2}, {90, 4}}), {.forbidden = {48, 56}});
  CHECK(StopSizes(stops) == std::vector<int64_t>{40, 64, 96});
}

TEST_CASE("A slow size is passed by: its calls cost what the next cheaper one costs", "[buckets]") {
  // Size 72 takes a slow kernel; 80 is faster than 72, and 96 faster than 88.
  const CostModel curve = Curve({{64, 1}, {72, 5}, {80, 2}, {88, 2.5}, {96, 2.25}, {104, 3}});
  const std::vector<SizeStop> stops =
      Stops(Calls({{64, 1}, {66, 1}, {88, 1}, {100, 1}}), {}, curve);
  CHECK(StopSizes(stops) == std::vector<int64_t>{64, 72, 88, 104});
  CHECK(stops[1].bucket == 80);
  CHECK(stops[1].cost == 2);
  CHECK(stops[2].bucket == 96);
  CHECK(stops[2].cost == 2.25);
  CHECK(stops[3].bucket == 104);
}

TEST_CASE("A forced size is not passed by, whatever it costs", "[buckets]") {
  const CostModel curve = Curve({{64, 1}, {72, 5}, {80, 2}});
  const std::vector<SizeStop> stops =
      Stops(Calls({{64, 1}, {66, 1}, {80, 1}}), {.forced = {72}}, curve);
  CHECK(stops[1].bucket == 72);
  CHECK(stops[1].cost == 5);
  CHECK(stops[2].cost == 2);
}

TEST_CASE("Half the root of the calls is spread over the tail, evenly in the logarithm",
          "[buckets]") {
  // 25 calls, three of them alone: a tenth of the weight is spread from the middle call, 8, to 16:
  // each doubling the same.
  const SizeHistogram calls = Calls({{1, 1}, {2, 1}, {3, 1}, {4, 7}, {8, 15}});
  const std::vector<SizeStop> stops = Stops(calls, {.max = 16}, {}, true);
  CHECK(StopSizes(stops) == std::vector<int64_t>{1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  CHECK(stops[0].weight == Approx(0.9));
  CHECK(stops[3].weight == Approx(6.3));
  CHECK(stops[4].weight == Approx(13.5));
  double before = 8;
  double sum = 0;
  for (size_t i = 5; i < stops.size(); ++i) {
    const auto size = static_cast<double>(stops[i].size);
    CHECK(stops[i].weight == Approx(2.5 * std::log2(size / before)));
    sum += stops[i].weight;
    before = size;
  }
  CHECK(sum == Approx(2.5));
}

TEST_CASE("The tail has no more weight than the calls that are alone at their place", "[buckets]") {
  const auto tail_of = [](const SizeHistogram& calls) {
    double sum = 0;
    for (const SizeStop& stop : Stops(calls, {.max = 16}, {}, true)) {
      if (stop.size > 8) sum += stop.weight;
    }
    return sum;
  };
  CHECK(tail_of(Calls({{4, 10}, {8, 15}})) == 0);
  CHECK(tail_of(Calls({{2, 1}, {4, 9}, {8, 15}})) == Approx(1));
}

TEST_CASE("The tail of the largest declared maximum has few places, and all its weight",
          "[buckets]") {
  const SizeHistogram calls =
      Calls({{40, 50}, {4000, 1}, {5000, 1}, {6000, 1}, {7000, 1}, {7500, 1}, {8000, 45}});
  const std::vector<SizeStop> stops = Stops(calls, {.max = kMaxSize}, {}, true);
  CHECK(stops.size() < 5000);
  CHECK(stops.back().size == kMaxSize);
  double sum = 0;
  for (const SizeStop& stop : stops) sum += stop.weight;
  CHECK(sum == Approx(100));
  CHECK(stops[0].weight == Approx(47.5));
}

TEST_CASE("Without a tail, weights and costs of padding are whole numbers", "[buckets]") {
  for (const SizeStop& stop : Stops(Calls({{3, 1}, {1'000'003, 7}}), {})) {
    CHECK(stop.weight == std::trunc(stop.weight));
    CHECK(stop.cost == std::trunc(stop.cost));
  }
}

TEST_CASE("Calls of nothing run at a bucket of one", "[buckets]") {
  CHECK(StopSizes(Stops(Calls({{0, 5}}), {}, {}, true)) == std::vector<int64_t>{1});
}

TEST_CASE("Limits that contradict each other are named", "[buckets]") {
  const SizeHistogram calls = Calls({{50, 1}});
  CHECK(WhyNot({}, {}) == "there is no call to plan buckets for");
  CHECK(WhyNot(calls, {.max = 49}) == "no call has a size of at most 49");
  CHECK(WhyNot(calls, {.alignment = 0}) == "the alignment has to be 1 to 2147483648, not 0");
  CHECK(WhyNot(calls, {.min = -1}) == "the smallest bucket has to be 0 to 2147483648, not -1");
  CHECK(WhyNot(calls, {.min = 64, .max = 50}) ==
        "no bucket may be below 64, but the largest size to serve is 50");
  CHECK(WhyNot(calls, {.min = 32, .forced = {16}}) ==
        "size 16 is forced, but no bucket may be below 32");
  CHECK(WhyNot(calls, {.max = 60, .forced = {72}}) ==
        "size 72 is forced, but the largest size to serve is 60");
  CHECK(WhyNot(calls, {.forced = {0}}) == "a forced size has to be 1 to 2147483648, not 0");
  CHECK(WhyNot(calls, {.forced = {40, 48}, .forbidden = {48}}) ==
        "size 48 is both forced and forbidden");
}

}  // namespace
}  // namespace shapewise
