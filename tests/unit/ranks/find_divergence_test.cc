// Where ranks part, and whom that is said of.

#include <algorithm>

#include "support/catch.h"
#include "unit/ranks/rank_run.h"

namespace shapewise {
namespace {

std::vector<std::string> DescribeAll(RankRun& run) {
  const std::optional<RankComparison> comparison = run.Compare();
  REQUIRE(comparison);
  std::vector<std::string> reported;
  for (const RankDivergence& divergence : comparison->divergences) {
    reported.push_back(Describe(divergence));
  }
  return reported;
}

using Lines = std::vector<std::string>;

TEST_CASE("one rank has nothing to be compared with", "[ranks]") {
  RankRun run = RankRun::Traces();
  run.Compile(0, {.id = "0/0", .function = "f"});
  CHECK_FALSE(run.Compare());
}

TEST_CASE("ranks that did the same do not differ", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5}, "6");
  }
  const std::optional<RankComparison> comparison = run.Compare();
  REQUIRE(comparison);
  CHECK(comparison->ranks == std::vector<int32_t>{0, 1});
  CHECK(comparison->is_structured);
  CHECK(comparison->agreed == 3);
  CHECK(comparison->divergences.empty());
}

TEST_CASE("the rank that compiles again is named, and what the other went on to", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 3});
  }
  run.Recompile(1, {.id = "0/1", .function = "f", .begin = 5, .seconds = 4}, "6");
  run.Compile(0, {.id = "2/0", .function = "h", .begin = 9.5});
  run.Compile(1, {.id = "2/0", .function = "h", .begin = 9.5});
  run.Recompile(0, {.id = "0/1", .function = "f", .begin = 12, .seconds = 4}, "7");
  const std::optional<RankComparison> comparison = run.Compare();
  REQUIRE(comparison);
  REQUIRE(comparison->divergences.size() == 1);
  const RankDivergence& divergence = comparison->divergences[0];
  CHECK(Describe(divergence) ==
        "recompile 1 | 1 did recompile f (0/1) | 0 compile h (2/0) | after 2");
  CHECK(divergence.action.culprit == Culprit{GuardClass::kSize, "x", 0});
  CHECK(divergence.action.actual == "6");
  CHECK(divergence.action.time == TimeAt(5));
  CHECK(divergence.action.seconds == 4);
  CHECK(divergence.later_seconds == 7);
  // Rank 1 worked from 5 to 9; rank 0 had nothing to do from 4 to 9.5.
  CHECK(divergence.wait_seconds == 4);
}

TEST_CASE("of several ranks, the fewer part from the rest", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (int32_t rank = 0; rank < 8; ++rank) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank == 5) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5}, "6");
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 8});
  }
  CHECK(DescribeAll(run) == Lines{"recompile 5 | 5 did recompile f (0/1) | "
                                  "0,1,2,3,4,6,7 compile g (1/0) | after 1"});
}

TEST_CASE("a rank that alone does not compile again parts, too", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (int32_t rank = 0; rank < 4; ++rank) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank != 2) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5}, "6");
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 8});
  }
  CHECK(DescribeAll(run) ==
        Lines{"recompile 2 | 0,1,3 did recompile f (0/1) | 2 compile g (1/0) | after 1"});
}

TEST_CASE("ranks that diverge later are listed after the first", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (int32_t rank = 0; rank < 4; ++rank) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank == 3) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 9}, "6");
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 20});
    if (rank == 0) run.Recompile(rank, {.id = "1/1", .function = "g", .begin = 23}, "6");
    run.Compile(rank, {.id = "2/0", .function = "h", .begin = 30});
  }
  CHECK(DescribeAll(run) ==
        Lines{"recompile 3 | 3 did recompile f (0/1) | 0,1,2 compile g (1/0) | after 1",
              "recompile 0 | 0 did recompile g (1/1) | 1,2 compile h (2/0) | after 2"});
}

TEST_CASE("a rank whose log ends is not accused", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
  }
  run.Compile(0, {.id = "1/0", .function = "g", .begin = 3});
  run.Recompile(0, {.id = "0/1", .function = "f", .begin = 5}, "6");
  CHECK(DescribeAll(run) ==
        Lines{"log_ends 1 | 1 did compile f (0/0) | 0 compile g (1/0) | after 1"});
}

TEST_CASE("a rank that recompiles while the others log nothing more diverges", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1, 2}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
  }
  run.Recompile(1, {.id = "0/1", .function = "f", .begin = 5}, "6");
  CHECK(DescribeAll(run) == Lines{"recompile 1 | 1 did recompile f (0/1) | 0,2 nothing | after 1"});
}

TEST_CASE("most ranks going on makes the end of one log an end, not a difference", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1, 2}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank != 1) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5}, "6");
  }
  CHECK(DescribeAll(run) ==
        Lines{"log_ends 1 | 1 did compile f (0/0) | 0,2 recompile f (0/1) | after 1"});
}

TEST_CASE("a compile without an end is no more than the end of a log", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 3, .is_finished = rank == 0});
  }
  run.Compile(0, {.id = "2/0", .function = "h", .begin = 5});
  CHECK(DescribeAll(run) ==
        Lines{"log_ends 1 | 1 did compile f (0/0) | 0 compile g (1/0) | after 1"});
}

TEST_CASE("a log that begins later is laid where it fits", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1, 2}) {
    if (rank != 2) run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank != 2) run.Compile(rank, {.id = "1/0", .function = "g", .begin = 3});
    run.Compile(rank, {.id = "2/0", .function = "h", .begin = 5});
    run.Compile(rank, {.id = "3/0", .function = "i", .begin = 7});
    run.Compile(rank, {.id = "4/0", .function = "j", .begin = 9});
    if (rank == 2) run.Recompile(rank, {.id = "1/1", .function = "g", .begin = 11}, "6");
    run.Compile(rank, {.id = "5/0", .function = "k", .begin = 13});
  }
  CHECK(DescribeAll(run) ==
        Lines{"recompile 2 | 2 did recompile g (1/1) | 0,1 compile k (5/0) | after 5",
              "log_begins 2 | 2 did compile h (2/0) | 0 compile h (2/0) | after 2"});
}

TEST_CASE("a trace that begins with its process cannot begin later", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1, 2}) {
    if (rank != 2) run.Break(rank, {.id = "0/0", .function = "f", .begin = 1}, 12);
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 3});
  }
  CHECK(DescribeAll(run) ==
        Lines{"break 2 | 0,1 did graph_break f (0/0) | 2 compile f (0/0) | after 0"});
}

TEST_CASE("a graph break of only one rank is reported, not the recompile of both", "[ranks]") {
  RankRun run = RankRun::Text();
  for (const int32_t rank : {0, 1}) {
    run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 1}, "6");
    if (rank == 0) run.Break(rank, {.id = "1/0", .function = "g", .begin = 3}, 12);
    run.Recompile(rank, {.id = "0/2", .function = "f", .begin = 5}, "7");
  }
  CHECK(DescribeAll(run) ==
        Lines{"break 0 | 0 did graph_break g (1/0) | 1 recompile f (0/2) | after 1"});
}

TEST_CASE("functions that each side has for itself are different programs", "[ranks]") {
  RankRun run = RankRun::Traces();
  run.Compile(0, {.id = "0/0", .function = "first_stage", .begin = 1});
  run.Break(1, {.id = "0/0", .function = "last_stage", .begin = 1.5}, 12);
  run.Compile(1, {.id = "0/0", .function = "last_stage", .begin = 1.5});
  const Lines reported = DescribeAll(run);
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].starts_with("programs "));
}

TEST_CASE("a function that one rank has for itself is a different program", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1, 2}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank == 0) run.Compile(rank, {.id = "1/0", .function = "evaluate", .begin = 3});
    run.Compile(rank, {.id = rank == 0 ? "2/0" : "1/0", .function = "g", .begin = 5});
  }
  CHECK(DescribeAll(run) ==
        Lines{"programs 0 | 0 did compile evaluate (1/0) | 1,2 compile g (1/0) | after 1"});
}

TEST_CASE("the same functions the other way round are another order", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = rank == 0 ? "f" : "g", .begin = 1});
    run.Compile(rank, {.id = "1/0", .function = rank == 0 ? "g" : "f", .begin = 3});
  }
  const Lines reported = DescribeAll(run);
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].starts_with("order "));
}

TEST_CASE("ranks whose compile ids repeat are several processes and not compared", "[ranks]") {
  RankRun run = RankRun::Text();
  for (const int32_t rank : {0, 1, 2}) {
    run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 1}, "6");
    if (rank == 1) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 2}, "6");
  }
  const std::optional<RankComparison> comparison = run.Compare();
  REQUIRE(comparison);
  CHECK(comparison->ranks == std::vector<int32_t>{0, 2});
  CHECK(comparison->divergences.empty());
  REQUIRE(comparison->gaps.size() == 1);
  CHECK(comparison->gaps[0].starts_with("Not compared with other ranks: 1; "));
}

TEST_CASE("a rank of which only warnings are logged is not compared with records", "[ranks]") {
  RankRun run = RankRun::Text();
  for (int32_t compile = 1; compile <= 2; ++compile) {
    const std::string id = "0/" + std::to_string(compile);
    run.Recompile(0, {.id = id, .function = "f", .begin = 1.0 * compile}, "6");
  }
  run.Other(0, {.id = "0/3", .function = "f", .begin = 4}, EventKind::kRecompileLimit);
  run.Other(1, {.id = "0/3", .function = "f", .begin = 4}, EventKind::kRecompileLimit);
  const std::optional<RankComparison> comparison = run.Compare();
  REQUIRE(comparison);
  CHECK(comparison->ranks.empty());
  CHECK(comparison->divergences.empty());
  CHECK(comparison->gaps.size() == 1);
}

TEST_CASE("a recompile that is known by its id only is that of the others", "[ranks]") {
  RankRun run = RankRun::Text();
  run.Recompile(0, {.id = "0/1", .function = "f", .begin = 1}, "6");
  run.Other(1, {.id = "0/1", .function = "", .begin = 1}, EventKind::kImpliedRecompile);
  for (const int32_t rank : {0, 1}) {
    run.Break(rank, {.id = "0/1", .function = "f", .begin = 1.2}, 12);
  }
  CHECK(DescribeAll(run).empty());
}

TEST_CASE("one error is the same on two ranks, whatever of it is printed", "[ranks]") {
  RankRun run = RankRun::Text();
  run.Other(0, {.id = "0/0", .function = "f", .begin = 1}, EventKind::kConstraintViolation);
  run.Other(1, {.id = "", .function = "", .begin = 1}, EventKind::kConstraintViolation);
  CHECK(DescribeAll(run).empty());
}

TEST_CASE("structured traces are compared where there are any", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
  }
  // Text of the same run repeats a part of the traces.
  const uint32_t text = run.session().AddInput("stderr.log");
  Event event;
  event.input = text;
  event.line = 1;
  event.rank = 1;
  event.detail = run.session().InternDetail({.fact = RecompileFact()});
  run.session().AddEvent(event);
  CHECK(DescribeAll(run).empty());
}

// What rules get to see of a difference.

std::string Fact(const Cause& cause, std::string_view name) {
  const auto fact =
      std::ranges::find(cause.facts, name, &std::pair<std::string, std::string>::first);
  return fact == cause.facts.end() ? std::string() : fact->second;
}

TEST_CASE("a cause names function, guard, ranks and what the others did", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (int32_t rank = 0; rank < 6; ++rank) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank == 4) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5}, "6");
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 8});
    if (rank != 4) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 12}, "7");
  }
  const std::vector<Cause> causes = RankCauses(*run.Compare());
  REQUIRE(causes.size() == 1);
  const Cause& cause = causes[0];
  CHECK(cause.kind == CauseKind::kRankDivergence);
  CHECK(cause.why == "recompile");
  CHECK(cause.where.function == "f");
  CHECK(cause.culprit == Culprit{GuardClass::kSize, "x", 0});
  CHECK(cause.message == "size of x was 8, is 6");
  CHECK(cause.values == std::vector<std::string>{"6"});
  CHECK(cause.ranks == std::vector<int32_t>{4});
  CHECK(Fact(cause, "actors") == "rank 4");
  CHECK(Fact(cause, "others") == "ranks 0-3, 5");
  CHECK(Fact(cause, "compile_id") == "0/1");
  CHECK(Fact(cause, "instead") == "went on to compile g (1/0) and came to it 7.00 s later");
}

TEST_CASE("differences of one kind are one cause, with the first as its example", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (int32_t rank = 0; rank < 6; ++rank) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank == 4) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5}, "6");
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 8});
    if (rank == 1) run.Recompile(rank, {.id = "1/1", .function = "g", .begin = 10}, "6");
    run.Compile(rank, {.id = "2/0", .function = "h", .begin = 20});
  }
  const std::vector<Cause> causes = RankCauses(*run.Compare());
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].where.function == "f");
  CHECK(causes[0].count == 2);
  CHECK(causes[0].ranks == std::vector<int32_t>{1, 4});
}

TEST_CASE("every fact of a cause is one that rules may use", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
  }
  run.Compile(0, {.id = "1/0", .function = "g", .begin = 3});
  for (const Cause& cause : RankCauses(*run.Compare())) {
    for (const auto& [name, text] : cause.facts) {
      CHECK(std::ranges::find(CauseFactNames(), name) != CauseFactNames().end());
      CHECK_FALSE(text.empty());
    }
  }
}

}  // namespace
}  // namespace shapewise
