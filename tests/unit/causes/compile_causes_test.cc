// What only compilations tell: functions compiled for nothing, and guards that cost.

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

std::string FactOf(const Cause& cause, std::string_view name) {
  for (const auto& [fact, text] : cause.facts) {
    if (fact == name) return text;
  }
  return "(none)";
}

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
    run.Other(EventKind::kGraphBreak, {.id = "0/0"},
              [](EventDetail& detail) { detail.user_line = 3; });
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

TEST_CASE("guards are told of from 30 us a call, or 300 us as measured", "[causes]") {
  RunBuilder run;
  SECTION("just below both") {
    run.Compile({.id = "0/0"}, {.guards = Guards(2000, 4, 299)});
    CHECK(run.Fold().empty());
  }
  SECTION("as estimated") {
    run.Compile({.id = "0/0"}, {.guards = Guards(2100, 4)});
    const Cause cause = run.FoldToOne();
    CHECK(cause.kind == CauseKind::kGuardCost);
    CHECK_FALSE(cause.is_costly);
    CHECK(cause.hint == "many");
    CHECK(FactOf(cause, "call_us") == "30");
    CHECK(FactOf(cause, "guards") == "2100");
    CHECK(FactOf(cause, "measured_us") == "(none)");
  }
  SECTION("as measured") {
    run.Compile({.id = "0/0"}, {.guards = Guards(100, 4, 1000)});
    const Cause cause = run.FoldToOne();
    CHECK(cause.is_costly);
    CHECK(FactOf(cause, "call_us") == "10");
    CHECK(FactOf(cause, "measured_us") == "1000");
  }
}

TEST_CASE("the entry with the most expensive guards speaks for its function", "[causes]") {
  RunBuilder run;
  run.Compile({.id = "0/0"}, {.guards = Guards(3000)});
  run.Compile({.id = "0/1"}, {.guards = Guards(9000)});
  run.Compile({.id = "0/2"}, {.guards = Guards(6000)});
  const Cause cause = run.FoldToOne();
  CHECK(FactOf(cause, "guards") == "9000");
  CHECK(FactOf(cause, "entries") == "3");
  CHECK(FactOf(cause, "depth_us") == "0.9");
}

TEST_CASE("a deep cache costs though no entry does", "[causes]") {
  RunBuilder run;
  for (int compile = 0; compile < 64; ++compile) {
    run.Compile({.id = "0/" + std::to_string(compile)}, {.guards = Guards(20, 4)});
  }
  const Cause cause = run.FoldToOne();
  CHECK(cause.hint == "entries");
  CHECK(FactOf(cause, "entries") == "64");
  CHECK(FactOf(cause, "depth_us") == "28");
}

TEST_CASE("offenders are named", "[causes]") {
  RunBuilder run;
  GuardTally guards;
  guards.leaves = 8000;
  guards.kinds = {{run.Id("LAMBDA_GUARD"), 4000},
                  {run.Id("TENSOR_MATCH"), 3000},
                  {run.Id("ID_MATCH"), 900},
                  {run.Id("TYPE_MATCH"), 100}};
  SECTION("conditions in Python") {
    guards.root_lambdas = {{run.Id("L['fs'][*] > *"), 3000},
                           {run.Id("__math_isnan(L['f'])"), 900},
                           {run.Id("L['a'] is L['b']"), 100}};
    run.Compile({.id = "0/0"}, {.guards = guards});
    const Cause cause = run.FoldToOne();
    CHECK(cause.hint == "python");
    CHECK(FactOf(cause, "lambdas") == "4000");
    CHECK(FactOf(cause, "lambda_kinds") ==
          "comparisons of numbers 3000, NaN checks 900, identities of objects 100");
    CHECK(FactOf(cause, "guard_kinds") ==
          "LAMBDA_GUARD 4000, TENSOR_MATCH 3000, ID_MATCH 900, ...");
  }
  SECTION("layers") {
    guards.families = {
        {.source = run.Id("L['self'].layers[*].scale"), .guards = 3000, .members = 30},
        {.source = run.Id("L['self'].layers[*]"), .guards = 1500, .members = 30}};
    run.Compile({.id = "0/0"}, {.guards = guards});
    const Cause cause = run.FoldToOne();
    CHECK(cause.hint == "layers");
    CHECK(FactOf(cause, "family") == "L['self'].layers[*].scale");
    CHECK(FactOf(cause, "members") == "30");
    CHECK(FactOf(cause, "layer_guards") == "4500");
  }
}

}  // namespace
}  // namespace shapewise
