// Results derived from times: skew, clock offsets, late ranks, the cost of a cold cache.

#include "ranks/rank_parts.h"

#include <cmath>

#include "support/catch.h"
#include "unit/ranks/rank_run.h"

namespace shapewise {
namespace {

RankComparison Compared(RankRun& run) {
  const std::optional<RankComparison> comparison = run.Compare();
  REQUIRE(comparison);
  return *comparison;
}

TEST_CASE("the skew is the widest distance between ranks in one compile", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1 + 0.1 * rank});
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 3, .seconds = 1 + 2.5 * rank});
  }
  const RankComparison comparison = Compared(run);
  REQUIRE(comparison.skew);
  CHECK(comparison.skew->seconds == Approx(2.5));
  CHECK(comparison.skew->of_ends);
  CHECK(comparison.skew->action.where.function == "g");
  CHECK(comparison.skew->first == 0);
  CHECK(comparison.skew->last == 1);
  CHECK(comparison.offsets.empty());
}

TEST_CASE("a constant difference of clocks is taken off", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1, 2}) {
    const double ahead = rank == 2 ? 3600 : 0;
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1 + ahead});
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 3 + ahead});
    run.Compile(rank, {.id = "2/0", .function = "h", .begin = 5 + 0.5 * rank + ahead});
  }
  const RankComparison comparison = Compared(run);
  REQUIRE(comparison.offsets.size() == 1);
  CHECK(comparison.offsets[0].rank == 2);
  CHECK(comparison.offsets[0].seconds == Approx(3600));
  REQUIRE(comparison.skew);
  CHECK(comparison.skew->seconds == Approx(1));
  CHECK(comparison.skew->action.where.function == "h");
}

TEST_CASE("a delay that grows is none of clocks", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1, 2}) {
    const double slow = rank == 2 ? 4 : 0;
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 3 + slow});
    run.Compile(rank, {.id = "2/0", .function = "h", .begin = 5 + 2 * slow});
  }
  CHECK(Compared(run).offsets.empty());
}

TEST_CASE("ranks that print into one input share a clock", "[ranks]") {
  RankRun run = RankRun::Text();
  for (const int32_t rank : {0, 1}) {
    for (const uint32_t line : {11, 12, 13}) {
      run.Break(rank, {.id = "0/0", .function = "f", .begin = 1 + 100.0 * rank}, line);
    }
  }
  const RankComparison comparison = Compared(run);
  CHECK(comparison.offsets.empty());
  REQUIRE(comparison.skew);
  CHECK(comparison.skew->seconds == Approx(100));
}

TEST_CASE("ranks that recompile together for other values differ in values", "[ranks]") {
  RankRun run = RankRun::Text();
  for (const int32_t rank : {0, 1, 2}) {
    run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 1 + 0.004 * rank},
                  rank == 1 ? "6" : "5");
    run.Recompile(rank, {.id = "1/1", .function = "g", .begin = 2 + 0.004 * rank},
                  rank == 1 ? "6" : "5");
  }
  const RankComparison comparison = Compared(run);
  REQUIRE(comparison.divergences.size() == 1);
  const RankDivergence& divergence = comparison.divergences[0];
  CHECK(divergence.kind == DivergenceKind::kValues);
  CHECK(divergence.action.where.function == "f");
  CHECK(divergence.count == 2);
  REQUIRE(divergence.values.size() == 2);
  CHECK(divergence.values[0].value == "5");
  CHECK(divergence.values[0].ranks == std::vector<int32_t>{0, 2});
  CHECK(divergence.values[1].value == "6");
}

TEST_CASE("ranks that recompile for another source differ in reasons", "[ranks]") {
  RankRun run = RankRun::Text();
  run.Recompile(0, {.id = "0/1", .function = "f", .begin = 1}, "5", "x");
  run.Recompile(1, {.id = "0/1", .function = "f", .begin = 1}, "5", "mask");
  const RankComparison comparison = Compared(run);
  REQUIRE(comparison.divergences.size() == 1);
  CHECK(comparison.divergences[0].kind == DivergenceKind::kReasons);
  CHECK(comparison.divergences[0].values[1].value == "size of mask was 8, is 5");
}

TEST_CASE("a rank that recompiles after the others continued is late", "[ranks]") {
  RankRun run = RankRun::Text();
  for (const int32_t rank : {0, 1}) {
    const double late = rank == 0 ? 0.57 : 0;
    run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 1 + late}, rank == 0 ? "10" : "7");
    run.Recompile(rank, {.id = "1/1", .function = "g", .begin = 1.25 + late},
                  rank == 0 ? "10" : "7");
  }
  const RankComparison comparison = Compared(run);
  REQUIRE(comparison.divergences.size() == 1);
  const RankDivergence& divergence = comparison.divergences[0];
  CHECK(Describe(divergence) == "late 1 | 1 did recompile f (0/1) | 0 recompile f (0/1) | after 0");
  CHECK(divergence.later_seconds.value_or(0) == Approx(0.57));
  CHECK(divergence.count == 2);
}

TEST_CASE("ranks that are always so far apart are not late", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    const double later = 0.9 * rank;
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1 + later, .seconds = 0.1});
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 3 + later, .seconds = 0.1});
    run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5 + later, .seconds = 0.1},
                  rank == 0 ? "5" : "6");
  }
  const RankComparison comparison = Compared(run);
  REQUIRE(comparison.divergences.size() == 1);
  CHECK(comparison.divergences[0].kind == DivergenceKind::kValues);
}

TEST_CASE("the same value at another time is not reported", "[ranks]") {
  RankRun run = RankRun::Text();
  run.Recompile(0, {.id = "0/1", .function = "f", .begin = 1}, "5");
  run.Recompile(1, {.id = "0/1", .function = "f", .begin = 9}, "5");
  CHECK(Compared(run).divergences.empty());
}

TEST_CASE("a cache that only some ranks hit costs the others' compile", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0",
                       .function = "f",
                       .begin = 1,
                       .seconds = rank == 0 ? 2.75 : 8.5,
                       .cache = rank == 0 ? CacheOutcome::kHit : CacheOutcome::kMiss});
  }
  const RankComparison comparison = Compared(run);
  REQUIRE(comparison.divergences.size() == 1);
  const RankDivergence& divergence = comparison.divergences[0];
  CHECK(Describe(divergence) == "cache 1 | 0 did compile f (0/0) | 1 compile f (0/0) | after 0");
  CHECK(divergence.later_seconds.value_or(0) == Approx(5.75));
  CHECK(divergence.wait_seconds.value_or(0) == Approx(5.75));
}

TEST_CASE("times on both sides of New Year are not reckoned with", "[ranks]") {
  RankRun run = RankRun::Text();
  run.Recompile(0, {.id = "0/1", .function = "f", .begin = 1}, "5");
  run.Recompile(1, {.id = "0/1", .function = "f", .begin = 1}, "5");
  run.session().event(1).time = {.year = 0, .month = 1, .day = 1, .micros = 5};
  CHECK_FALSE(Compared(run).skew);
}

LogTime At(uint8_t month, uint8_t day, int64_t micros) {
  return {.year = 0, .month = month, .day = day, .micros = micros};
}

TEST_CASE("seconds between printed times go over days and months", "[ranks]") {
  CHECK(SecondsOf(At(3, 1, 500'000)) - SecondsOf(At(2, 29, 0)) == kSecondsPerDay + 0.5);
  CHECK(std::isnan(SecondsOf({})));
}

TEST_CASE("an earlier time may lie on the day before", "[ranks]") {
  CHECK(EarlierBy(At(11, 21, 5'000'000), 2.5) == At(11, 21, 2'500'000));
  CHECK(EarlierBy(At(3, 1, 1'000'000), 2) == At(2, 29, 86'399'000'000));
  CHECK(EarlierBy(At(2, 29, 86'399'000'000), -2) == At(3, 1, 1'000'000));
  CHECK(EarlierBy({}, 2) == LogTime{});
}

}  // namespace
}  // namespace shapewise
