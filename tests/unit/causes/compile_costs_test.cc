// The totals say where the seconds of compiling went.

#include "causes/compile_costs.h"

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

CompileCosts CostsOf(RunBuilder& run) {
  const std::optional<CompileCosts> costs =
      Summarize(run.session(), run.Fold(), run.History().ledger).costs;
  REQUIRE(costs);
  return *costs;
}

TEST_CASE("a log without compilations has no costs", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "1", "2")});
  const RunSummary summary = Summarize(run.session(), run.Fold(), run.History().ledger);
  CHECK_FALSE(summary.costs);
  CHECK_FALSE(summary.compile_seconds);
}

TEST_CASE("every second counts in one share", "[causes]") {
  RunBuilder run;
  run.Other(GraphBreakFact(), {.id = "0/0"}, {.line = 1});
  run.Compile({.id = "0/0_1"}, {.total = 40, .before_restart = 2, .restarts = 1});
  run.Compile({.id = "1/0"}, {.outcome = CompileOutcome::kEmptyGraph, .total = 1});
  run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kBackward, .total = 4});
  run.Compile({.id = "0/1"}, {.total = 3});
  run.Compile({.id = "0/1"}, {.outcome = CompileOutcome::kBackward, .total = 0.5});
  run.Compile({.id = "2/0"}, {.outcome = CompileOutcome::kFailed, .total = 0.25});
  run.Compile({.id = "3/0"}, {.is_finished = false});
  const CompileCosts costs = CostsOf(run);
  CHECK(costs.seconds == Approx(48.75));
  CHECK(costs.first_compiles == CompileShare{1, 42});
  CHECK(costs.recompiles == CompileShare{1, 3.5});
  CHECK(costs.failed == CompileShare{1, 0.25});
  CHECK(costs.empty_graphs == CompileShare{1, 1});
  CHECK(costs.retrace_seconds == 2);
  CHECK(costs.backward == CompileShare{2, 4.5});
  CHECK(costs.unfinished == 1);
}

TEST_CASE("phases do not overlap, and unlogged ones are absent", "[causes]") {
  RunBuilder run;
  SECTION("Inductor") {
    run.Compile({.id = "0/0"}, {.total = 10, .backend = 8, .inductor = 7, .code_gen = 5});
    run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kBackward, .total = 2, .inductor = 1.5});
    const PhaseSeconds phases = CostsOf(run).phases;
    CHECK(phases == PhaseSeconds{.dynamo = 2, .aot = 1.5, .inductor = 8.5, .code_gen = 5});
  }
  SECTION("another backend") {
    run.Compile({.id = "0/0"}, {.total = 10, .backend = 8});
    CHECK(CostsOf(run).phases ==
          PhaseSeconds{.dynamo = 2, .aot = 8, .inductor = {}, .code_gen = {}});
  }
  SECTION("an empty graph") {
    run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kEmptyGraph, .total = 3});
    CHECK(CostsOf(run).phases ==
          PhaseSeconds{.dynamo = 3, .aot = {}, .inductor = {}, .code_gen = {}});
  }
  SECTION("a failure that does not say how far it came") {
    run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kFailed, .total = 3});
    CHECK(CostsOf(run).phases == PhaseSeconds{});
  }
  SECTION("parts longer than their whole") {
    run.Compile({.id = "0/0"}, {.total = 1, .backend = 5, .inductor = 9, .code_gen = 20});
    CHECK(CostsOf(run).phases == PhaseSeconds{.dynamo = 0, .aot = 0, .inductor = 1, .code_gen = 1});
  }
}

TEST_CASE("ranks compile in parallel: the slowest one is reported", "[causes]") {
  RunBuilder run;
  run.Compile({.id = "0/0", .rank = 0, .input = 0}, {.total = 10});
  run.Compile({.id = "0/0", .rank = 1, .input = 1}, {.total = 7});
  run.Compile({.id = "1/0", .rank = 1, .input = 2}, {.total = 6});
  const CompileCosts costs = CostsOf(run);
  CHECK(costs.seconds == 23);
  CHECK(costs.processes == 2);
  CHECK(costs.slowest_seconds == 13);
  CHECK(costs.slowest_rank == 1);
  CHECK(costs.slowest_input == 1);
}

TEST_CASE("caches are counted, with what they saved", "[causes]") {
  RunBuilder run;
  run.Compile({.id = "0/0"}, {.cache = CacheOutcome::kMiss});
  run.Compile({.id = "1/0"}, {.cache_saved = 12.5, .cache = CacheOutcome::kHit});
  run.Compile({.id = "2/0"}, {.cache_saved = 1, .cache = CacheOutcome::kHit});
  run.Compile({.id = "3/0"}, {.cache = CacheOutcome::kBypass});
  run.Compile({.id = "4/0"}, {});
  CHECK(CostsOf(run).cache ==
        CacheUse{.hits = 2, .misses = 1, .bypasses = 1, .seconds_saved = 13.5});
}

TEST_CASE("any order of the inputs gives the same numbers", "[causes]") {
  const auto build = [](bool is_swapped) {
    RunBuilder run;
    for (uint32_t i = 0; i < 200; ++i) {
      const uint32_t input = (i % 2 == 0) == is_swapped ? 1 : 0;
      run.Compile(
          {.id = "0/" + std::to_string(i / 2), .rank = static_cast<int32_t>(i % 2), .input = input},
          {.total = 0.1 * i, .backend = 0.07 * i, .inductor = 0.03 * i});
    }
    run.session().SortByPlace();
    return CostsOf(run);
  };
  const CompileCosts one = build(false);
  const CompileCosts other = build(true);
  CHECK(one.seconds == other.seconds);
  CHECK(one.phases == other.phases);
  CHECK(one.recompiles == other.recompiles);
  CHECK(one.slowest_seconds == other.slowest_seconds);
  CHECK(one.slowest_rank == other.slowest_rank);
}

}  // namespace
}  // namespace shapewise
