// Every second of compiling belongs to one event at most.

#include "causes/compile_ledger.h"

#include <limits>
#include <numeric>
#include <random>

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

const Cause* CauseOf(const std::vector<Cause>& causes, CauseKind kind) {
  for (const Cause& cause : causes) {
    if (cause.kind == kind) return &cause;
  }
  return nullptr;
}

constexpr UserFrame kLine12 = {.line = 12};

TEST_CASE("seconds become whole microseconds", "[causes]") {
  CHECK(ToMicros(0.20891761779785156) == 208918);
  CHECK(ToMicros(0.0) == 0);
  CHECK_FALSE(ToMicros(std::nullopt));
  CHECK_FALSE(ToMicros(-1.0));
  CHECK_FALSE(ToMicros(std::numeric_limits<double>::quiet_NaN()));
  CHECK(ToMicros(std::numeric_limits<double>::infinity()) == 1'000'000'000'000);
}

TEST_CASE("a recompile costs the compile that it forced, with its backward graph", "[causes]") {
  RunBuilder run;
  run.Compile({.id = "0/0"}, {.total = 40});
  run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kBackward, .total = 4});
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});
  run.Compile({.id = "0/1_1"}, {.total = 2});
  run.Compile({.id = "0/1"}, {.outcome = CompileOutcome::kBackward, .total = 0.5});
  CHECK(run.FoldToOne().cost_seconds == Approx(2.5));
}

TEST_CASE("a recompile whose compilation is not logged has an unknown cost, not zero", "[causes]") {
  RunBuilder run;
  run.Compile({.id = "0/0"}, {.total = 40});
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});
  SECTION("as where the log ends") {}
  SECTION("as where it did not finish") {
    run.Compile({.id = "0/1"}, {.outcome = CompileOutcome::kGraph, .is_finished = false});
  }
  SECTION("as where it finished without a time") { run.Compile({.id = "0/1"}, {}); }
  SECTION("as where another process compiled the same id") {
    run.Compile({.id = "0/1", .rank = 3}, {.total = 9});
  }
  CHECK_FALSE(run.FoldToOne().cost_seconds);
}

TEST_CASE("after a reset the same id is another compile", "[causes]") {
  RunBuilder run;
  for (const double seconds : {2.0, 8.0}) {
    run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});
    run.Compile({.id = "0/1"}, {.total = seconds});
    run.Compile({.id = "0/1"}, {.outcome = CompileOutcome::kBackward, .total = seconds / 2});
  }
  CHECK(run.FoldToOne().cost_seconds == Approx(15));
}

TEST_CASE("discarded traces count for the graph break, the rest for the recompile", "[causes]") {
  RunBuilder run;
  run.Other(GraphBreakFact(), {.id = "0/0"}, kLine12);
  run.Compile({.id = "0/0_1"}, {.total = 5, .before_restart = 1, .restarts = 1});
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});
  run.Other(GraphBreakFact(), {.id = "0/1"}, kLine12);
  run.Compile({.id = "0/1_1"}, {.total = 3, .before_restart = 0.75, .restarts = 1});
  const std::vector<Cause> causes = run.Fold();
  CHECK(CauseOf(causes, CauseKind::kGraphBreak)->cost_seconds == Approx(1.75));
  CHECK(CauseOf(causes, CauseKind::kRecompile)->cost_seconds == Approx(2.25));
}

TEST_CASE("restarts that are no breaks stay with the compile", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});
  SECTION("all of them") {
    run.Compile({.id = "0/1_1"}, {.total = 3, .before_restart = 1, .restarts = 1});
    CHECK(run.FoldToOne().cost_seconds == Approx(3));
  }
  SECTION("three of four, a quarter each") {
    run.Other(GraphBreakFact(), {.id = "0/1"}, kLine12);
    run.Compile({.id = "0/1_4"}, {.total = 3, .before_restart = 1, .restarts = 4});
    const std::vector<Cause> causes = run.Fold();
    CHECK(CauseOf(causes, CauseKind::kGraphBreak)->cost_seconds == Approx(0.25));
    CHECK(CauseOf(causes, CauseKind::kRecompile)->cost_seconds == Approx(2.75));
  }
}

TEST_CASE("a failed compile belongs to its error", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});
  SECTION("where there is one") {
    run.Other(CompileErrorFact(), {.id = "0/1"});
    run.Compile({.id = "0/1"}, {.outcome = CompileOutcome::kFailed, .total = 3});
    const std::vector<Cause> causes = run.Fold();
    CHECK(CauseOf(causes, CauseKind::kCompileError)->cost_seconds == Approx(3));
    CHECK_FALSE(CauseOf(causes, CauseKind::kRecompile)->cost_seconds);
  }
  SECTION("which may be a break, and stand behind its metrics") {
    run.Compile({.id = "0/1"}, {.outcome = CompileOutcome::kFailed, .total = 3});
    run.Other(GraphBreakFact(), {.id = "0/1"}, kLine12);
    const std::vector<Cause> causes = run.Fold();
    CHECK(CauseOf(causes, CauseKind::kGraphBreak)->cost_seconds == Approx(3));
    CHECK_FALSE(CauseOf(causes, CauseKind::kRecompile)->cost_seconds);
  }
  SECTION("else to the recompile that led to it") {
    run.Compile({.id = "0/1"}, {.outcome = CompileOutcome::kFailed, .total = 3});
    CHECK(run.FoldToOne().cost_seconds == Approx(3));
  }
}

TEST_CASE("seconds that a text log prints are accounted as well", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});  // reported twice
  run.Other(CompileFact{.seconds = 2}, {.id = "0/1"});
  CHECK(run.FoldToOne().cost_seconds == Approx(2));
}

// Anything may come in any order, with any number in it.
RunBuilder RandomRun(std::mt19937& random) {
  const auto below = [&random](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  const auto seconds = [&]() -> std::optional<double> {
    switch (below(8)) {
      case 0:
        return std::nullopt;
      case 1:
        return -1;
      case 2:
        return std::numeric_limits<double>::quiet_NaN();
      default:
        return static_cast<double>(below(10000)) / 997;
    }
  };
  RunBuilder run;
  const uint32_t length = 1 + below(60);
  for (uint32_t i = 0; i < length; ++i) {
    const std::string id = std::to_string(below(2)) + "/" + std::to_string(below(3));
    const Compiled compiled = {
        .id = id, .rank = static_cast<int32_t>(below(3)) - 1, .input = below(2)};
    switch (below(7)) {
      case 0:
        run.Recompile(compiled, {FailedSize("0/0", "x", 0, "1", "2")});
        break;
      case 1:
        run.Recompile(compiled, {FailedInt("0/1", "n", "1"), FailedSize("0/0", "x", 0, "1", "2")});
        break;
      case 2:
        run.Other(GraphBreakFact(), compiled, {.line = 1 + below(3)});
        break;
      case 3:
        run.Other(EmptyFact(below(2) == 0 ? EventKind::kCompileError : EventKind::kSkippedFrame),
                  compiled);
        break;
      default: {
        Took took;
        took.outcome = static_cast<CompileOutcome>(below(4));
        took.total = seconds();
        took.backend = seconds();
        took.inductor = seconds();
        took.code_gen = seconds();
        took.before_restart = seconds();
        took.restarts = below(3);
        took.is_finished = below(8) != 0;
        run.Compile(compiled, took);
      }
    }
  }
  run.session().SortByPlace();
  return run;
}

TEST_CASE("causes never cost more than the run", "[causes]") {
  std::mt19937 random(20261121);
  uint64_t runs_with_cost = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    RunBuilder run = RandomRun(random);
    const std::vector<Cause> causes = run.Fold();
    const RunSummary summary = Summarize(run.session(), causes, run.History().ledger);
    double of_causes = 0;
    for (const Cause& cause : causes) of_causes += cause.cost_seconds.value_or(0);
    const double of_run = summary.compile_seconds.value_or(0);
    REQUIRE(of_causes <= of_run + 1e-9);
    runs_with_cost += of_causes > 0 ? 1 : 0;
    if (!summary.costs) continue;

    const CompileCosts& costs = *summary.costs;
    const double parts = costs.first_compiles.seconds + costs.recompiles.seconds +
                         costs.failed.seconds + costs.empty_graphs.seconds + costs.retrace_seconds;
    REQUIRE(parts == Approx(costs.seconds).margin(1e-9));
    REQUIRE(costs.backward.seconds <= costs.seconds + 1e-9);
    const PhaseSeconds& phases = costs.phases;
    const double in_phases =
        phases.dynamo.value_or(0) + phases.aot.value_or(0) + phases.inductor.value_or(0);
    REQUIRE(in_phases <= costs.seconds + 1e-9);
    REQUIRE(phases.code_gen.value_or(0) <= phases.inductor.value_or(0) + 1e-9);
    REQUIRE(costs.slowest_seconds <= costs.seconds + 1e-9);
  }
  CHECK(runs_with_cost > 1000);
}

}  // namespace
}  // namespace shapewise
