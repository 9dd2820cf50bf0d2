// The totals of a run are those of its events.

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

RunSummary SummarizeRun(RunBuilder& run) {
  return Summarize(run.session(), run.Fold(), run.History().ledger);
}

TEST_CASE("totals count events, sites count places", "[causes]") {
  RunBuilder run;
  const GraphBreakFact graph_break{.type = run.Id("print")};
  const UserFrame user = {.file = "/app/model.py", .line = 12};
  run.Recompile({.id = "0/1", .rank = 3}, {FailedSize("0/0", "x", 0, "1", "2")});
  run.Recompile({.id = "0/1", .rank = 1}, {FailedSize("0/0", "x", 0, "1", "2")});
  run.Limit({.id = "0/2", .rank = 1}, 2, {});
  run.Other(graph_break, {}, user).Other(graph_break, {}, user);
  run.Other(SkippedFrameFact(), {});
  run.Other(CompileFact(), {.id = "0/0"});
  const RunSummary summary = SummarizeRun(run);
  CHECK(summary.recompiles == 2);
  CHECK(summary.recompile_limit_hits == 1);
  CHECK(summary.graph_breaks == 2);
  CHECK(summary.graph_break_sites == 1);
  CHECK(summary.skipped_frames == 1);
  CHECK(summary.compiles == 1);
  CHECK_FALSE(summary.compile_seconds);
  CHECK(summary.ranks == std::vector<int32_t>{1, 3});
}

TEST_CASE("compile seconds are summed if the log contains them", "[causes]") {
  RunBuilder run;
  run.Other(CompileFact{.seconds = 2}, {.id = "0/0"});
  run.Other(CompileFact(), {.id = "1/0"});
  run.Other(CompileFact{.seconds = 0.5}, {.id = "2/0"});
  CHECK(SummarizeRun(run).compile_seconds == Approx(2.5));
}

TEST_CASE("a function at its limit runs eager, with its resume functions below it", "[causes]") {
  RunBuilder run;
  const auto resume = [&run](std::string_view function, std::string_view file, uint32_t line) {
    run.Recompile({.id = "1/1", .function = function, .file = file, .line = line},
                  {FailedSize("1/0", "h", 0, "1", "2")});
  };
  run.Limit({.id = "0/8"}, 8, {FailedInt("0/7", "n", "7")});
  resume("torch_dynamo_resume_in_forward_at_19", "/app/model.py", 19);
  resume("torch_dynamo_resume_in_forward_at_13", "/app/model.py", 13);
  resume("torch_dynamo_resume_in_forward_at_13", "/app/other.py", 13);
  resume("torch_dynamo_resume_in_loss_at_14", "/app/model.py", 14);
  // Another forward begins at line 30, so this break is in that one.
  run.Recompile({.id = "5/1", .line = 30}, {FailedSize("5/0", "h", 0, "1", "2")});
  resume("torch_dynamo_resume_in_forward_at_33", "/app/model.py", 33);
  run.Other(ImpliedBreakFact(), {.file = "", .line = 0}, {.line = 21});

  const RunSummary summary = SummarizeRun(run);
  REQUIRE(summary.eager_functions.size() == 1);
  const EagerFunction& eager = summary.eager_functions[0];
  CHECK(eager.where == Place{"forward", "/app/model.py", 10});
  CHECK(eager.limit == 8);
  CHECK(eager.below ==
        std::vector<Place>{{"torch_dynamo_resume_in_forward_at_13", "/app/model.py", 13},
                           {"torch_dynamo_resume_in_forward_at_19", "/app/model.py", 19},
                           {"torch_dynamo_resume_in_forward_at_21", "/app/model.py", 21}});
}

TEST_CASE("a function that hit its limit on several ranks runs eager once", "[causes]") {
  RunBuilder run;
  run.Limit({.id = "0/8", .rank = 0}, 8, {FailedInt("0/7", "n", "7")});
  run.Limit({.id = "0/8", .rank = 1}, 8, {FailedInt("0/7", "m", "7")});
  CHECK(SummarizeRun(run).eager_functions.size() == 1);
}

TEST_CASE("lines are summed over inputs and damage over the counters that lose data", "[causes]") {
  RunBuilder run;
  run.session().input(0).lines = 40;
  run.session().input(run.session().AddInput("rank1.log")).lines = 2;
  run.session().stats().Bump(Stat::record_cut, 0, 7);
  run.session().stats().Bump(Stat::record_cut, 0, 9);
  run.session().stats().Bump(Stat::utf8_invalid, 0, 9);
  const RunSummary summary = SummarizeRun(run);
  CHECK(summary.lines == 42);
  CHECK(summary.damaged == 2);
}

TEST_CASE("the release is reported with its evidence", "[causes]") {
  RunBuilder run;
  CHECK(SummarizeRun(run).torch.empty());
  CHECK(SummarizeRun(run).torch_why.empty());
  run.session().NoteVersionMark({"reasons start with a compile id", 205, 0, 0, 3});
  CHECK(SummarizeRun(run).torch == "2.5 or newer");
  CHECK(SummarizeRun(run).torch_why == "reasons start with a compile id (train.log:3)");
}

}  // namespace
}  // namespace shapewise
