// One row per function, most expensive first.

#include "causes/function_costs.h"

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

TEST_CASE("a function's row adds up its compilations, with their backward graphs", "[causes]") {
  RunBuilder run;
  run.Other(GraphBreakFact(), {.id = "0/0"}, {.line = 1});
  run.Compile({.id = "0/0_1"}, {.total = 10,
                                .backend = 8,
                                .inductor = 7,
                                .before_restart = 1,
                                .restarts = 1,
                                .guards = Guards(100, 50, 77)});
  run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kBackward, .total = 2});
  run.Compile({.id = "0/1"}, {.total = 3, .guards = Guards(40)});
  run.Compile({.id = "0/2"}, {.outcome = CompileOutcome::kFailed, .total = 0.5});
  const std::vector<FunctionCost> costs = SumFunctionCosts(run.session(), run.History().ledger);
  REQUIRE(costs.size() == 1);
  CHECK(costs[0].where == Place{"forward", "/app/model.py", 10});
  CHECK(costs[0].compiles == 2);
  CHECK(costs[0].recompiles == 1);
  CHECK(costs[0].failed == 1);
  CHECK(costs[0].seconds == 15.5);
  CHECK(costs[0].recompile_seconds == 3);
  CHECK(costs[0].retrace_seconds == 1);
  CHECK(costs[0].phases.dynamo == 2);
  CHECK(costs[0].phases.aot == 3);
  CHECK(costs[0].phases.inductor == 7);
  CHECK(costs[0].guards == 100);
  CHECK(costs[0].estimated_us == Approx(11));
  CHECK(costs[0].measured_guard_us == 77);
  CHECK(costs[0].cache_entries == 2);
}

TEST_CASE("most seconds first, then by place; unknown is not zero", "[causes]") {
  RunBuilder run;
  run.Compile({.id = "0/0", .function = "untold"}, {});
  run.Compile({.id = "1/0", .function = "b", .line = 2}, {.total = 1});
  run.Compile({.id = "2/0", .function = "a", .line = 3}, {.total = 1});
  run.Compile({.id = "3/0", .function = "dear"}, {.total = 9});
  const std::vector<FunctionCost> costs = SumFunctionCosts(run.session(), run.History().ledger);
  REQUIRE(costs.size() == 4);
  CHECK(costs[0].where.function == "dear");
  CHECK(costs[1].where.function == "b");
  CHECK(costs[2].where.function == "a");
  CHECK(costs[3].where.function == "untold");
  CHECK_FALSE(costs[3].seconds);
  CHECK_FALSE(costs[3].guards);
  CHECK_FALSE(costs[3].estimated_us);
}

}  // namespace
}  // namespace shapewise
