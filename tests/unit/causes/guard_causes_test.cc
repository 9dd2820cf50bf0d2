// What guards cost at every call, as causes.

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

TEST_CASE("guards are reported from 30 us per call on, or 300 us if measured", "[causes]") {
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
    CHECK(FactOf(cause, "measured_us").empty());
  }
  SECTION("as measured") {
    run.Compile({.id = "0/0"}, {.guards = Guards(100, 4, 1000)});
    run.Compile({.id = "0/1"}, {.guards = Guards(100, 4, 1200)});
    const Cause cause = run.FoldToOne();
    CHECK(cause.is_costly);
    CHECK(FactOf(cause, "call_us") == "10");
    CHECK(FactOf(cause, "measured_us") == "1000");
  }
}

TEST_CASE("one measurement counts only if the guards can have taken so long", "[causes]") {
  RunBuilder run;
  SECTION("a busy machine made 68 us of 21 guards 4177") {
    run.Compile({.id = "0/0"}, {.guards = Guards(21, 10, 4177)});
    CHECK(run.Fold().empty());
  }
  SECTION("nor is it shown where the estimate alone gives reason to speak") {
    run.Compile({.id = "0/0"}, {.guards = Guards(4000, 1000, 50'000)});
    const Cause cause = run.FoldToOne();
    CHECK_FALSE(cause.is_costly);
    CHECK(FactOf(cause, "measured_us").empty());
  }
  SECTION("a second one tells which it was") {
    run.Compile({.id = "0/0"}, {.guards = Guards(21, 10, 4177)});
    run.Compile({.id = "0/1"}, {.guards = Guards(21, 10, 68)});
    CHECK(run.Fold().empty());
  }
  SECTION("200 modules with a Linear each do take so long") {
    run.Compile({.id = "0/0"}, {.guards = Guards(4424, 2420, 1005)});
    const Cause cause = run.FoldToOne();
    CHECK(cause.is_costly);
    CHECK(FactOf(cause, "measured_us") == "1005");
  }
}

TEST_CASE("guards that a text log prints cost as much", "[causes]") {
  RunBuilder run;
  SECTION("of a function that is named") {
    run.Print({.id = "0/0", .rank = 1}, Guards(9000));
    run.Print({.id = "0/1", .rank = 1}, Guards(3000));
    const Cause cause = run.FoldToOne();
    CHECK(cause.where == Place{"forward", "/app/model.py", 10});
    CHECK(cause.count == 2);
    CHECK(cause.ranks == std::vector<int32_t>{1});
    CHECK(FactOf(cause, "guards") == "9000");
    CHECK(FactOf(cause, "entries") == "2");
  }
  SECTION("of functions that are not: by where their guards come from") {
    for (const std::string_view file : {"a.py", "b.py"}) {
      PrintedGuards printed;
      printed.user_file = run.Id(file);
      printed.user_line = 7;
      printed.user_function = run.Id("act");
      printed.guards = Guards(9000);
      run.session().AddPrintedGuards(printed);
    }
    const std::vector<Cause> causes = run.Fold();
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].where.function.empty());
    CHECK(causes[0].display_function.empty());
    CHECK(causes[0].user == Place{"act", "a.py", 7});
    CHECK(causes[1].user == Place{"act", "b.py", 7});
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
