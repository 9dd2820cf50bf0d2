// Causes visible only in compilations: functions compiled for nothing.

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

const Took kEmpty = {.outcome = CompileOutcome::kEmptyGraph, .total = 0.4};

TEST_CASE("a function that was compiled for nothing is named, with its seconds", "[causes]") {
  RunBuilder run;
  run.Compile({.id = "4/0", .function = "__init__", .rank = 1}, kEmpty);
  run.Compile({.id = "4/0", .function = "__init__", .rank = 0}, kEmpty);
  const Cause cause = run.FoldToOne();
  CHECK(cause.kind == CauseKind::kEmptyGraph);
  CHECK(cause.where.function == "__init__");
  CHECK(cause.count == 2);
  CHECK(cause.cost_seconds == Approx(0.8));
  CHECK_FALSE(cause.is_costly);
  CHECK(cause.ranks == std::vector<int32_t>{0, 1});
}

TEST_CASE("empty graphs that follow from a break are the break's", "[causes]") {
  RunBuilder run;
  SECTION("a frame in which it happened") {
    run.Other(GraphBreakFact(), {.id = "0/0"}, {.line = 3});
    run.Compile({.id = "0/0_1"}, kEmpty);
    CHECK(run.FoldToOne().kind == CauseKind::kGraphBreak);
  }
  SECTION("what is left behind it") {
    run.Compile({.id = "1/0", .function = "torch_dynamo_resume_in_step_at_11"}, kEmpty);
    CHECK(run.Fold().empty());
  }
}

TEST_CASE("an empty graph that costs a second is worth more than a note", "[causes]") {
  RunBuilder run;
  run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kEmptyGraph, .total = 1});
  CHECK(run.FoldToOne().is_costly);
}

}  // namespace
}  // namespace shapewise
