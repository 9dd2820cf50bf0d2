// What the calls of a run cost in each way, worked out by hand.

#include "pipeline/measure_curve.h"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <optional>

namespace shapewise {
namespace {

/// A size that takes `own` in a graph of its own, and twice that in the dynamic one.
CurveReport::Point Timed(int64_t size, double own) {
  CurveReport::Point point;
  point.size = size;
  point.seconds.value = own;
  point.compile_seconds = 10;
  point.dynamic = MeasuredRange{.value = 2 * own, .low = 2 * own, .high = 2 * own};
  return point;
}

SizeHistogram Calls(std::initializer_list<SizeCount> counts) {
  SizeHistogram histogram;
  histogram.counts = counts;
  for (const SizeCount& count : counts) histogram.calls += count.calls;
  return histogram;
}

/// Three sizes of 1, 2 and 4 s; the dynamic graph was compiled first, in 15 s.
CurveReport Report() {
  CurveReport report;
  report.points = {Timed(16, 1), Timed(32, 2), Timed(64, 4)};
  report.points[0].dynamic_compile_seconds = 15;
  return report;
}

const SizeHistogram kCalls = Calls({{{16, 1, 1}, 30}, {{24, 1, 1}, 10}, {{64, 1, 1}, 10}});

}  // namespace

TEST_CASE("buckets use the sizes of the plan, one dynamic graph the original sizes") {
  CurveReport report = Report();
  report.boundaries = {32, 64};
  CompareServing(kCalls, 100, report);
  REQUIRE(report.ways.size() == 2);
  // (40 * 2 + 10 * 4) / 50 s; (30 * 2 + 10 * 3 + 10 * 8) / 50 s
  CHECK(report.ways[0].name == "2 buckets");
  CHECK(report.ways[0].call_seconds == Approx(2.4));
  CHECK(report.ways[0].seconds == Approx(20 + 240));
  CHECK(report.ways[1].name == "one dynamic graph");
  CHECK(report.ways[1].call_seconds == Approx(3.4));
  CHECK(report.ways[1].seconds == Approx(15 + 340));
  CHECK(report.break_even_calls == 5);  // 5 s of compiling by 1 s a call
  CHECK(report.steps == 100);
}

TEST_CASE("a run too short for buckets is faster with one dynamic graph") {
  CurveReport report = Report();
  CompareServing(kCalls, 4, report);
  REQUIRE(report.ways.size() == 2);
  CHECK(report.ways[0].name == "one dynamic graph");
  CHECK(report.ways[1].name == "3 buckets");
  CHECK(report.ways[1].call_seconds == Approx((30 * 1 + 10 * 2 + 10 * 4) / 50.0));
}

TEST_CASE("the noise is the median of the stated values, or estimated from decreasing times") {
  CurveReport report = Report();
  CompareServing(kCalls, 1, report);
  CHECK(report.noise == 0);
  report.points[1].seconds.value = 0.25;  // as 1 s before it: both half a second, and off by 100 %
  report.ways.clear();
  CompareServing(kCalls, 1, report);
  CHECK(report.noise == Approx(1));
  report.points[2].spread = 0.04;
  report.ways.clear();
  CompareServing(kCalls, 1, report);
  CHECK(report.noise == 0.04);
}

TEST_CASE("eager needs no compiling") {
  CurveReport report = Report();
  for (CurveReport::Point& point : report.points) point.eager = 3 * point.seconds.value;
  CompareServing(kCalls, 1, report);
  REQUIRE(report.ways.size() == 3);
  CHECK(report.ways[0].name == "eager");
  CHECK(report.ways[0].seconds == Approx(5.1));
}

TEST_CASE("only calls are compared if compilation was not timed") {
  CurveReport report = Report();
  for (CurveReport::Point& point : report.points) point.compile_seconds.reset();
  CompareServing(kCalls, 1, report);
  REQUIRE(report.ways.size() == 2);
  CHECK(report.ways[0].name == "3 buckets");
  CHECK_FALSE(report.ways[0].seconds);
  CHECK_FALSE(report.break_even_calls);
}

TEST_CASE("only measured values are compared") {
  CurveReport one_way = Report();
  for (CurveReport::Point& point : one_way.points) point.dynamic.reset();
  CompareServing(kCalls, 100, one_way);
  CHECK(one_way.ways.empty());

  CurveReport too_small = Report();
  CompareServing(Calls({{{16, 1, 1}, 1}, {{65, 1, 1}, 1}}), 100, too_small);
  CHECK(too_small.ways.empty());

  CurveReport too_large = Report();
  CompareServing(Calls({{{12, 1, 1}, 1}, {{64, 1, 1}, 1}}), 100, too_large);
  CHECK(too_large.ways.empty());

  CurveReport no_calls = Report();
  CompareServing(Calls({}), 100, no_calls);
  CHECK(no_calls.ways.empty());
}

}  // namespace shapewise
