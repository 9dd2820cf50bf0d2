// Answers of programs that time sizes: what is read of them, and what is not believed.
// What the calls of a run cost in each way, worked out by hand.

#include <catch2/catch.hpp>
#include <initializer_list>
#include <optional>
#include <string>

#include "pipeline/measure_curve.h"

namespace shapewise {
namespace {

std::string ErrorOf(const std::string& line) {
  Expected<CurveAnswer> answer = ReadCurveAnswer(line, "size", 64);
  return answer ? "" : llvm::toString(answer.takeError());
}

}  // namespace

TEST_CASE("all times of a size are read") {
  Expected<CurveAnswer> answer = ReadCurveAnswer(
      R"({"time":{"size":64},"seconds":2e-3,"iqr":4e-4,"peak_bytes":4096,"compile_seconds":5.5,)"
      R"("dynamic":3e-3,"dynamic_iqr":null,"eager":4e-3,"dynamic_compile_seconds":9,"runs":10,)"
      R"("spread":0.02,"dynamic_spread":0.05,"eager_spread":0.03,)"
      R"("reference":{"size":32,"seconds":1e-3,"drift":-0.1}})",
      "size", 64);
  REQUIRE(static_cast<bool>(answer));
  REQUIRE(answer->point);
  const CurveReport::Point& point = *answer->point;
  CHECK(point.size == 64);
  CHECK(point.seconds.value == 2e-3);
  CHECK(point.seconds.low == Approx(1.8e-3));
  CHECK(point.seconds.high == Approx(2.2e-3));
  CHECK(point.peak_bytes == 4096);
  CHECK(point.compile_seconds == 5.5);
  REQUIRE(point.dynamic);
  CHECK(point.dynamic->low == 3e-3);
  CHECK(point.eager == 4e-3);
  CHECK(point.dynamic_compile_seconds == 9);
  CHECK(point.spread == 0.05);
  CHECK(answer->drift == -0.1);
  CHECK(answer->dynamic_why.empty());
}

TEST_CASE("missing, null, mistyped and invalid times are dropped") {
  for (const char* members :
       {"", R"(,"dynamic":null,"eager":null,"compile_seconds":null,"peak_bytes":null)",
        R"(,"dynamic":"3 ms","eager":[4],"compile_seconds":true,"peak_bytes":"4096")",
        R"(,"dynamic":0,"eager":-1,"compile_seconds":0,"peak_bytes":1e300)",
        R"(,"dynamic":{},"eager":[[]],"iqr":"wide")",
        R"(,"spread":"2 %","dynamic_spread":-1,"reference":null)",
        R"(,"spread":null,"reference":{"drift":[]})", R"(,"reference":[1])"}) {
    INFO(members);
    Expected<CurveAnswer> answer =
        ReadCurveAnswer(R"({"seconds":2e-3)" + std::string(members) + "}", "size", 64);
    REQUIRE(static_cast<bool>(answer));
    REQUIRE(answer->point);
    CHECK(answer->point->seconds.high == 2e-3);
    CHECK_FALSE(answer->point->dynamic);
    CHECK_FALSE(answer->point->eager);
    CHECK_FALSE(answer->point->compile_seconds);
    CHECK_FALSE(answer->point->peak_bytes);
    CHECK_FALSE(answer->point->spread);
    CHECK_FALSE(answer->drift);
  }
}

TEST_CASE("a size that cannot be run, or only its dynamic graph, says why") {
  Expected<CurveAnswer> failed = ReadCurveAnswer(R"({"error":"out of memory"})", "size", 64);
  REQUIRE(static_cast<bool>(failed));
  CHECK_FALSE(failed->point);
  CHECK(failed->why == "out of memory");
  Expected<CurveAnswer> part = ReadCurveAnswer(
      R"({"seconds":1,"dynamic":null,"dynamic_error":"constraints violated"})", "size", 64);
  REQUIRE(static_cast<bool>(part));
  CHECK(part->point.has_value());
  CHECK(part->dynamic_why == "constraints violated");
}

TEST_CASE("an invalid or unrelated answer is an error that quotes it") {
  CHECK(ErrorOf("loading") == "what times the sizes answered no JSON: loading");
  CHECK(ErrorOf("[1]") == "what times the sizes answered no JSON: [1]");
  CHECK(ErrorOf("{}") == "what times the sizes answered no time: {}");
  CHECK(ErrorOf(R"({"seconds":0})") == R"(what times the sizes answered no time: {"seconds":0})");
  CHECK(ErrorOf(R"({"time":{"size":32},"seconds":1})").starts_with("asked for size 64, "));
  CHECK(ErrorOf(R"({"time":[],"seconds":1})").starts_with("asked for size 64, "));
  CHECK(ErrorOf(R"({"time":{"size":64},"seconds":1})").empty());
  CHECK(ErrorOf(std::string(100'000, 'x')).size() < 600);
  CHECK_FALSE(ErrorOf(std::string(100'000, '[')).empty());
}

TEST_CASE("a program is ready, says why it is not, or is another program") {
  CurveReport report;
  const auto read = [&](const char* line) { return llvm::toString(ReadReadiness(line, report)); };
  CHECK(read(R"({"ready":{"device":"cpu 2x","torch":"2.13.0+cpu"
}
})")
            .empty());
  CHECK(report.device == "cpu 2x");
  CHECK(report.torch == "2.13.0+cpu");
  CHECK(read(R"({"fatal":"no such file"})") == "no size can be timed: no such file");
  CHECK(read("Python 3.11") == "what times the sizes does not say that it is ready: Python 3.11");
  CHECK(read("{}") == "what times the sizes does not say that it is ready: {}");
}

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
