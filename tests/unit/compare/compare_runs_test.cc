#include "shapewise/compare/compare_runs.h"

#include "support/catch.h"
#include "unit/compare/sample_findings.h"

namespace shapewise {
namespace {

DiffResult Compare(const LintResult& before, const LintResult& after,
                   const CompareOptions& options = {}) {
  return CompareRuns({.name = "old", .result = before}, {.name = "new", .result = after}, options);
}

LintResult RunOf(std::vector<Finding> findings) {
  LintResult result;
  result.coverage = {.recompiles = Printed::kYes, .graph_breaks = Printed::kYes};
  result.findings = std::move(findings);
  return result;
}

using Texts = std::vector<std::string>;

TEST_CASE("a run is not worse than itself", "[compare]") {
  const LintResult run = RunOf({Recompile("f", "a.py", 1, "x"), Break("f", "a.py", 3, "GB0059")});
  const DiffResult diff = Compare(run, run);
  CHECK(diff.fresh.empty());
  CHECK(diff.gone.empty());
  CHECK(diff.changed.empty());
  CHECK(diff.same.size() == 2);
  CHECK(diff.worse.empty());
  CHECK(diff.caveats.empty());
}

TEST_CASE("a new cause is worse from the severity asked for on", "[compare]") {
  Finding finding = Recompile("f", "a.py", 1, "x");
  finding.severity = Severity::kNote;
  CHECK(Compare(RunOf({}), RunOf({finding})).worse.empty());
  CHECK(Compare(RunOf({}), RunOf({finding}), {.fail_on = Severity::kNote}).worse ==
        Texts{"1 new cause"});
  finding.severity = Severity::kError;
  CHECK(Compare(RunOf({}), RunOf({finding})).worse == Texts{"1 new cause"});
  CHECK(Compare(RunOf({}), RunOf({finding}), {.fail_on = std::nullopt}).worse.empty());
  CHECK(Compare(RunOf({finding}), RunOf({})).worse.empty());
  CHECK(Compare(RunOf({finding}), RunOf({})).gone.size() == 1);
}

TEST_CASE("a cause that now hits its limit got worse", "[compare]") {
  const Finding before = Recompile("f", "a.py", 1, "x");
  Finding after = before;
  after.severity = Severity::kError;
  after.rule = "SWC003";
  after.runs_eager = true;
  const DiffResult diff = Compare(RunOf({before}), RunOf({after}));
  CHECK(diff.worse == Texts{"1 cause got worse"});
  REQUIRE(diff.changed.size() == 1);
  CHECK(diff.changed[0].changes == std::vector<Change>{{"severity", "warning", "error", true},
                                                       {"runs eager", "no", "yes", true},
                                                       {"rule", "SWS001", "SWC003", false}});
  CHECK(Compare(RunOf({after}), RunOf({before})).worse.empty());
}

TEST_CASE("another count alone is a change, not worse, and is said to mean little", "[compare]") {
  const Finding before = Recompile("f", "a.py", 1, "x");
  Finding after = before;
  after.count = 300;
  const DiffResult diff = Compare(RunOf({before}), RunOf({after}));
  CHECK(diff.worse.empty());
  REQUIRE(diff.changed.size() == 1);
  CHECK(diff.changed[0].changes == std::vector<Change>{{"count", "3", "300", false}});
  CHECK(diff.caveats ==
        Texts{"How long each run was is not known: another count may only mean another length."});
}

TEST_CASE("counts of other numbers of ranks are not compared", "[compare]") {
  LintResult before = RunOf({Recompile("f", "a.py", 1, "x")});
  LintResult after = before;
  after.findings[0].count = 6;
  after.summary.ranks = {0, 1};
  after.summary.compile_seconds = 100;
  before.summary.compile_seconds = 1;
  const DiffResult diff = Compare(before, after);
  CHECK(diff.changed.empty());
  CHECK(!diff.compile_seconds_are_comparable);
  CHECK(diff.worse.empty());
  CHECK(diff.caveats == Texts{"The older run names 0 ranks, the newer 2: counts and times were "
                              "not compared."});
}

TEST_CASE("compile time is worse beyond both guards only", "[compare]") {
  LintResult before = RunOf({});
  LintResult after = RunOf({});
  before.summary.compile_seconds = 100;
  const auto worse = [&](double seconds, const CompareOptions& options = {}) {
    after.summary.compile_seconds = seconds;
    return Compare(before, after, options).worse;
  };
  CHECK(worse(119).empty());  // 19 %
  CHECK(worse(121) == Texts{"compiling takes 121.0 s instead of 100.0 s"});
  CHECK(worse(50).empty());
  CHECK(worse(121, {.fail_on = std::nullopt}).empty());
  CHECK(worse(121, {.max_increase = 0.5}).empty());
  before.summary.compile_seconds = 10;
  CHECK(worse(14).empty());  // 40 %, but 4 s
  CHECK(worse(14, {.max_increase_seconds = 3}) ==
        Texts{"compiling takes 14.0 s instead of 10.0 s"});
  after.summary.compile_seconds.reset();
  CHECK(Compare(before, after).caveats ==
        Texts{"Only the older run says how long compiling took."});
}

TEST_CASE("a run with lines that were not understood is not said to print no records",
          "[compare]") {
  LintResult before = RunOf({});
  before.summary.unknown_lines = 12;
  CHECK(Compare(before, RunOf({Recompile("f", "a.py", 1, "x")})).caveats ==
        Texts{"12 lines of torch.compile output in the older run could not be understood, so "
              "causes may be missing there."});
}

TEST_CASE("what the other run's log does not print is not compared", "[compare]") {
  LintResult before = RunOf({});
  before.coverage.recompiles = Printed::kNo;
  Finding finding = Recompile("f", "a.py", 1, "x");
  DiffResult diff = Compare(before, RunOf({finding}));
  CHECK(diff.fresh.empty());
  REQUIRE(diff.incomparable.size() == 1);
  CHECK(diff.incomparable[0].is_new);
  CHECK(diff.worse.empty());
  CHECK(diff.caveats == Texts{"The older run prints no recompiles, though there were some: 1 cause "
                              "of the other could not be compared."});

  diff = Compare(RunOf({finding}), before);
  CHECK(diff.gone.empty());
  CHECK(diff.incomparable.size() == 1);

  // A limit is printed in any case.
  finding.runs_eager = true;
  CHECK(Compare(before, RunOf({finding})).worse == Texts{"1 new cause"});

  before.coverage = {.recompiles = Printed::kYes, .graph_breaks = Printed::kNo};
  CHECK(Compare(before, RunOf({Break("f", "a.py", 1, "GB0059")})).incomparable.size() == 1);
}

TEST_CASE("a run that prints none of a kind is taken to have had none, and that is said",
          "[compare]") {
  LintResult silent = RunOf({});
  silent.coverage.recompiles = Printed::kUnknown;
  const LintResult loud = RunOf({Recompile("f", "a.py", 1, "x")});
  CHECK(Compare(silent, loud).worse == Texts{"1 new cause"});
  CHECK(Compare(silent, loud).caveats ==
        Texts{"The older run prints no recompile at all. They are assumed not to have occurred; if "
              "they were not requested (TORCH_LOGS), what is new may be old."});
  CHECK(Compare(loud, silent).caveats ==
        Texts{"The newer run prints no recompile at all. They are assumed not to have occurred; if "
              "they were not requested (TORCH_LOGS), what is gone may still be there."});
}

TEST_CASE("a limit of which only the last reason is printed has no count to compare", "[compare]") {
  Finding before = Recompile("f", "a.py", 1, "x");
  before.runs_eager = true;
  before.count = 1;
  Finding after = before;
  after.count = 8;
  LintResult quiet = RunOf({before});
  quiet.coverage.recompiles = Printed::kNo;
  CHECK(Compare(quiet, RunOf({after})).changed.empty());
  CHECK(Compare(quiet, RunOf({after})).same.size() == 1);
}

TEST_CASE("findings about the log itself are no causes; damage is said", "[compare]") {
  Finding damage;
  damage.identity.kind = "log";
  damage.identity.type = "record_cut";
  LintResult after = RunOf({damage});
  after.summary.damaged = 2;
  const DiffResult diff = Compare(RunOf({}), after);
  CHECK(diff.fresh.empty());
  CHECK(diff.worse.empty());
  CHECK(diff.caveats ==
        Texts{"Of the newer run 2 records could not be read whole, so causes may be "
              "missing there."});
}

TEST_CASE("a new cause beside others like it says so", "[compare]") {
  const LintResult before = RunOf({Break("f", "a.py", 10, "GB0059")});
  const LintResult after =
      RunOf({Break("f", "a.py", 10, "GB0059"), Break("f", "a.py", 14, "GB0059")});
  const DiffResult diff = Compare(before, after);
  REQUIRE(diff.fresh.size() == 1);
  CHECK(diff.fresh[0].finding.user.line == 14);
  CHECK(diff.fresh[0].num_alike == 1);
}

TEST_CASE("a baseline has no totals and no values", "[compare]") {
  Finding before = Recompile("f", "a.py", 1, "x");
  Finding after = before;
  after.values = {"3", "4"};
  const LintResult baseline = RunOf({before});
  LintResult run = RunOf({after});
  run.summary.compile_seconds = 100;
  const DiffResult diff = CompareRuns({.name = "b", .has_totals = false, .result = baseline},
                                      {.name = "new", .result = run}, {});
  CHECK(diff.same.size() == 1);
  CHECK(diff.caveats == Texts{"A baseline holds causes and how often they struck; values, totals "
                              "and times are not in it."});
}

}  // namespace
}  // namespace shapewise
