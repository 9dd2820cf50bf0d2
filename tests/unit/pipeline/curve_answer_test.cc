// Answers of programs that time sizes: what is read of them, and what is not believed.

#include "pipeline/measure_curve.h"

#include <catch2/catch.hpp>
#include <string>

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

}  // namespace shapewise
