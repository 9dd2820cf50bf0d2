#include "compare/compare_runs.h"

#include <algorithm>
#include <set>

#include "support/catch.h"

namespace shapewise {
namespace {

/// Gives `finding` the fingerprint that goes with its identity: here, its parts in words.
Finding Named(Finding finding) {
  const Identity& identity = finding.identity;
  finding.fingerprint = identity.kind + "|" + identity.function + "|" + identity.file + "|" +
                        identity.type + "|" + identity.guard_class + "|" + identity.source + "|" +
                        std::to_string(identity.dim);
  return finding;
}

/// A recompile of `function` in `file`, which begins at `line`, for the size of `source`.
Finding Recompile(std::string function, std::string file, uint32_t line, std::string source) {
  Finding finding;
  finding.rule = "SWS001";
  finding.severity = Severity::kWarning;
  finding.where = {function, "/w/" + file, line};
  finding.cause = Culprit{GuardClass::kSize, source, 0};
  finding.count = 3;
  finding.identity.kind = "recompile";
  finding.identity.function = std::move(function);
  finding.identity.file = std::move(file);
  finding.identity.guard_class = "size";
  finding.identity.source = std::move(source);
  finding.identity.dim = 0;
  return Named(std::move(finding));
}

/// A graph break in `function` of `file` at `line`.
Finding Break(std::string function, std::string file, uint32_t line, std::string type) {
  Finding finding;
  finding.rule = "SWB001";
  finding.severity = Severity::kWarning;
  finding.user = {function, "/w/" + file, line};
  finding.count = 1;
  finding.identity.kind = "graph_break";
  finding.identity.function = std::move(function);
  finding.identity.file = std::move(file);
  finding.identity.type = std::move(type);
  return Named(std::move(finding));
}

/// `finding` with another class of guard.
Finding WithClass(Finding finding, GuardClass guard_class) {
  finding.cause->guard_class = guard_class;
  finding.identity.guard_class = GuardClassName(guard_class);
  return Named(std::move(finding));
}

DiffResult Compare(const LintResult& before, const LintResult& after,
                   const CompareOptions& options = {}) {
  return CompareRuns({.name = "old", .result = before}, {.name = "new", .result = after}, options);
}

/// A run of these causes, whose totals are the sums of their counts.
LintResult RunOf(std::vector<Finding> findings) {
  LintResult result;
  result.coverage = {.recompiles = Printed::kYes, .graph_breaks = Printed::kYes};
  for (const Finding& finding : findings) {
    const bool is_recompile = finding.identity.kind == "recompile";
    if (is_recompile) result.summary.recompiles += finding.count;
    if (finding.identity.kind == "graph_break") result.summary.graph_breaks += finding.count;
    if (!is_recompile || !finding.runs_eager) continue;
    ++result.summary.recompile_limit_hits;
    result.summary.eager_functions.emplace_back().where = finding.where;
  }
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

TEST_CASE("a program that failed is worse, whatever it counts", "[compare]") {
  LintResult whole = RunOf({Recompile("f", "a.py", 1, "x")});
  LintResult failed = RunOf({});
  failed.summary.failure = "exit status 1";
  const DiffResult diff = Compare(whole, failed);
  CHECK(diff.verdict == RunVerdict::kWorse);
  CHECK(diff.worse == Texts{"the program fails (exit status 1)"});
  CHECK(diff.better.empty());
  CHECK(diff.is_failure);
  CHECK(Compare(failed, whole).verdict == RunVerdict::kBetter);
  CHECK(Compare(failed, whole).better == Texts{"the program no longer fails (exit status 1)"});
  CHECK(!Compare(failed, whole).is_failure);
  CHECK(Compare(failed, failed).verdict == RunVerdict::kSame);
}

TEST_CASE("totals decide, and causes from a severity on count for the exit", "[compare]") {
  Finding finding = Recompile("f", "a.py", 1, "x");
  finding.severity = Severity::kNote;
  CHECK(Compare(RunOf({}), RunOf({finding})).worse == Texts{"3 recompiles instead of 0"});
  CHECK(!Compare(RunOf({}), RunOf({finding})).is_failure);
  CHECK(Compare(RunOf({}), RunOf({finding}), {.fail_on = Severity::kNote}).is_failure);
  finding.severity = Severity::kError;
  CHECK(Compare(RunOf({}), RunOf({finding})).is_failure);
  CHECK(!Compare(RunOf({}), RunOf({finding}), {.fail_on = std::nullopt}).is_failure);
  const DiffResult better = Compare(RunOf({finding}), RunOf({}));
  CHECK(better.verdict == RunVerdict::kBetter);
  CHECK(better.better == Texts{"0 recompiles instead of 3"});
  CHECK(better.worse.empty());
  CHECK(better.gone.size() == 1);
}

TEST_CASE("a cause in place of one that cost no less is not a new one", "[compare]") {
  Finding limit = Recompile("f", "a.py", 1, "x");
  limit.severity = Severity::kError;
  limit.runs_eager = true;
  limit.count = 8;
  const Finding cheaper = Recompile("f", "a.py", 1, "mask");
  const DiffResult diff = Compare(RunOf({limit}), RunOf({cheaper}));
  CHECK(diff.verdict == RunVerdict::kBetter);
  CHECK(diff.better == Texts{"0 eager functions instead of 1",
                             "0 recompile limit hits instead of 1", "3 recompiles instead of 8"});
  REQUIRE(diff.fresh.size() == 1);
  CHECK(diff.fresh[0].instead_of == limit.fingerprint);
  CHECK(!diff.fresh[0].is_worse);
  CHECK(!diff.is_failure);
  // The reverse is worse, and what runs uncompiled does not count as compiled less.
  const DiffResult reverse = Compare(RunOf({cheaper}), RunOf({limit}));
  CHECK(reverse.verdict == RunVerdict::kWorse);
  CHECK(reverse.fresh[0].instead_of.empty());
  // Nor does another function take its place.
  CHECK(Compare(RunOf({limit}), RunOf({Recompile("g", "b.py", 900, "y")}))
            .fresh[0]
            .instead_of.empty());
}

TEST_CASE("more compiles are the price of fewer functions that run eagerly", "[compare]") {
  Finding limit = Recompile("f", "a.py", 1, "x");
  limit.runs_eager = true;
  Finding compiled = Recompile("f", "a.py", 1, "x");
  compiled.count = 20;
  const DiffResult diff = Compare(RunOf({limit}), RunOf({compiled}));
  CHECK(diff.verdict == RunVerdict::kBetter);
  CHECK(diff.worse.empty());
  CHECK(diff.price == Texts{"20 recompiles instead of 3"});
  limit.count = 8;
  compiled.count = 3;
  CHECK(Compare(RunOf({compiled}), RunOf({limit})).verdict == RunVerdict::kWorse);
}

TEST_CASE("fewer breaks for more recompiles are mixed", "[compare]") {
  const Finding recompile = Recompile("f", "a.py", 1, "x");
  const Finding graph_break = Break("f", "a.py", 3, "GB0059");
  const DiffResult diff = Compare(RunOf({graph_break}), RunOf({recompile}));
  CHECK(diff.verdict == RunVerdict::kMixed);
  CHECK(diff.better == Texts{"0 graph breaks instead of 1"});
  CHECK(diff.worse == Texts{"3 recompiles instead of 0"});
  CHECK(diff.is_failure);
}

TEST_CASE("compiles count instead of recompiles where both runs have them", "[compare]") {
  LintResult before = RunOf({Recompile("f", "a.py", 1, "x")});
  LintResult after = before;
  before.summary.compiles = 5;
  after.summary.compiles = 3;
  CHECK(Compare(before, after).better == Texts{"3 compiles instead of 5"});
}

TEST_CASE("a cause that now hits its limit got worse", "[compare]") {
  const Finding before = Recompile("f", "a.py", 1, "x");
  Finding after = before;
  after.severity = Severity::kError;
  after.rule = "SWC003";
  after.runs_eager = true;
  const DiffResult diff = Compare(RunOf({before}), RunOf({after}));
  CHECK(diff.worse == Texts{"1 eager function instead of 0", "1 recompile limit hit instead of 0"});
  REQUIRE(diff.changed.size() == 1);
  CHECK(diff.changed[0].changes == std::vector<Change>{{"severity", "warning", "error", true},
                                                       {"runs eagerly", "no", "yes", true},
                                                       {"rule", "SWS001", "SWC003", false}});
  CHECK(Compare(RunOf({after}), RunOf({before})).worse.empty());
}

TEST_CASE("another count is said to depend on the length of the run", "[compare]") {
  const Finding before = Recompile("f", "a.py", 1, "x");
  Finding after = before;
  after.count = 300;
  const DiffResult diff = Compare(RunOf({before}), RunOf({after}));
  CHECK(diff.worse == Texts{"300 recompiles instead of 3"});
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
  CHECK(worse(121) == Texts{"121.0 s of compiling instead of 100.0 s"});
  CHECK(worse(50).empty());
  CHECK(worse(121, {.max_increase = 0.5}).empty());
  before.summary.compile_seconds = 10;
  CHECK(worse(14).empty());  // 40 %, but 4 s
  CHECK(worse(14, {.max_increase_seconds = 3}) == Texts{"14.0 s of compiling instead of 10.0 s"});
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
  CHECK(Compare(before, RunOf({finding})).worse ==
        Texts{"1 eager function instead of 0", "1 recompile limit hit instead of 0"});

  before.coverage = {.recompiles = Printed::kYes, .graph_breaks = Printed::kNo};
  CHECK(Compare(before, RunOf({Break("f", "a.py", 1, "GB0059")})).incomparable.size() == 1);
}

TEST_CASE("a run that prints none of a kind is taken to have had none, and that is said",
          "[compare]") {
  LintResult silent = RunOf({});
  silent.coverage.recompiles = Printed::kUnknown;
  const LintResult loud = RunOf({Recompile("f", "a.py", 1, "x")});
  CHECK(Compare(silent, loud).worse == Texts{"3 recompiles instead of 0"});
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
        Texts{"2 records of the newer run could not be read completely, so causes may be "
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

/// "0-1 fingerprint" for each pair.
std::vector<std::string> PairsOf(const std::vector<Finding>& before,
                                 const std::vector<Finding>& after) {
  std::vector<std::string> pairs;
  for (const FindingMatch& match : MatchFindings(before, after)) {
    pairs.push_back(std::to_string(match.before) + "-" + std::to_string(match.after) + " " +
                    std::string(MatchedByName(match.matched_by)));
  }
  return pairs;
}

using Pairs = std::vector<std::string>;

TEST_CASE("equal fingerprints match, whatever their order", "[compare]") {
  const Finding x = Recompile("forward", "model.py", 10, "x");
  const Finding y = Recompile("forward", "model.py", 10, "y");
  CHECK(PairsOf({x, y}, {y, x}) == Pairs{"0-1 fingerprint", "1-0 fingerprint"});
  CHECK(PairsOf({x}, {y}).empty());
  CHECK(PairsOf({}, {y}).empty());
}

TEST_CASE("as many of one fingerprint match in the order of their lines", "[compare]") {
  const std::vector<Finding> before = {Break("f", "a.py", 10, "GB0001"),
                                       Break("f", "a.py", 20, "GB0001")};
  const std::vector<Finding> after = {Break("f", "a.py", 30, "GB0001"),
                                      Break("f", "a.py", 20, "GB0001")};
  CHECK(PairsOf(before, after) == Pairs{"0-1 fingerprint", "1-0 fingerprint"});
}

TEST_CASE("of more of one fingerprint those on the same lines match first", "[compare]") {
  const std::vector<Finding> before = {Break("f", "a.py", 10, "GB0001"),
                                       Break("f", "a.py", 20, "GB0001")};
  const std::vector<Finding> after = {Break("f", "a.py", 5, "GB0001"),
                                      Break("f", "a.py", 10, "GB0001"),
                                      Break("f", "a.py", 20, "GB0001")};
  CHECK(PairsOf(before, after) == Pairs{"0-1 fingerprint", "1-2 fingerprint"});
}

TEST_CASE("of more of one fingerprint those of one rule match next", "[compare]") {
  Finding limit = Recompile("forward", "a.py", 90, "x");
  limit.rule = "SWC003";
  std::vector<Finding> after = {limit, Recompile("forward", "a.py", 137, "x")};
  CHECK(PairsOf({Recompile("forward", "a.py", 100, "x")}, after) == Pairs{"0-1 fingerprint"});
}

TEST_CASE("a related class of guard on one source is one cause", "[compare]") {
  const Finding none = WithClass(Recompile("f", "a.py", 10, "mask"), GuardClass::kNone);
  const Finding type = WithClass(Recompile("f", "a.py", 40, "mask"), GuardClass::kType);
  const Finding dtype = WithClass(Recompile("f", "a.py", 40, "mask"), GuardClass::kDtype);
  CHECK(PairsOf({none}, {type}) == Pairs{"0-0 source"});
  CHECK(PairsOf({none}, {dtype}).empty());
  SECTION("but not where there are several to choose from") {
    const Finding identity = WithClass(none, GuardClass::kIdentity);
    CHECK(PairsOf({none}, {type, identity}).empty());
  }
}

TEST_CASE("global state is one culprit, also in another file", "[compare]") {
  const auto state_in = [](const std::string& file) {
    Finding finding = WithClass(Recompile("attend", file, 10, ""), GuardClass::kGlobalState);
    finding.identity.dim = -1;
    return Named(std::move(finding));
  };
  CHECK(PairsOf({state_in("model.py")}, {state_in("layers.py")}) == Pairs{"0-0 moved-file"});
}

TEST_CASE("a function in another file is known by its own name", "[compare]") {
  const Finding before = Recompile("attend", "model.py", 10, "x");
  CHECK(PairsOf({before}, {Recompile("attend", "layers.py", 99, "x")}) == Pairs{"0-0 moved-file"});
  CHECK(PairsOf({before}, {Recompile("attend", "layers.py", 99, "y")}).empty());
  SECTION("but not if the old file has it still") {
    const Finding still = Recompile("attend", "model.py", 10, "y");
    CHECK(PairsOf({before}, {Recompile("attend", "layers.py", 99, "x"), still}).empty());
  }
  SECTION("and if many are called so, only on the same line") {
    const Finding forward = Recompile("forward", "model.py", 10, "x");
    CHECK(PairsOf({forward}, {Recompile("forward", "llama.py", 99, "x")}).empty());
    CHECK(PairsOf({forward}, {Recompile("forward", "llama.py", 10, "x")}) ==
          Pairs{"0-0 moved-file"});
  }
}

TEST_CASE("a function of another name is known by file, culprit and about the line", "[compare]") {
  const Finding before = Recompile("attend", "model.py", 100, "x");
  CHECK(PairsOf({before}, {Recompile("attention", "model.py", 130, "x")}) ==
        Pairs{"0-0 renamed-function"});
  CHECK(PairsOf({before}, {Recompile("attention", "model.py", 300, "x")}).empty());
  CHECK(PairsOf({before}, {Recompile("attention", "model.py", 0, "x")}).empty());
  SECTION("but not if the new name was there before, or the old one is there still") {
    const Finding other = Recompile("attention", "model.py", 130, "y");
    CHECK(PairsOf({before, other}, {Recompile("attention", "model.py", 130, "x")}).empty());
    const Finding still = Recompile("attend", "model.py", 100, "y");
    CHECK(PairsOf({before}, {Recompile("attention", "model.py", 130, "x"), still}).empty());
  }
}

TEST_CASE("a cause without culprit or type is not guessed at in other places", "[compare]") {
  Finding plain = Recompile("f", "a.py", 10, "");
  Finding elsewhere = Recompile("g", "a.py", 10, "");
  CHECK(PairsOf({plain}, {elsewhere}).empty());
}

TEST_CASE("a break whose wording the registry lacks is known by its place", "[compare]") {
  const Finding old = Break("f", "a.py", 10, "call_method FooVariable()");
  CHECK(PairsOf({old}, {Break("f", "a.py", 12, "GB0059")}) == Pairs{"0-0 wording"});
  CHECK(PairsOf({old}, {Break("f", "a.py", 400, "GB0059")}).empty());
  CHECK(PairsOf({Break("f", "a.py", 10, "GB0001")}, {Break("f", "a.py", 10, "GB0059")}).empty());
}

TEST_CASE("a break whose function one log does not name is known by file and line", "[compare]") {
  const Finding named = Break("f", "a.py", 10, "GB0059");
  CHECK(PairsOf({Break("", "a.py", 15, "GB0059")}, {named}) == Pairs{"0-0 place"});
  CHECK(PairsOf({Break("", "a.py", 99, "GB0059")}, {named}).empty());
  CHECK(PairsOf({Break("", "a.py", 15, "GB0001")}, {named}).empty());
  CHECK(
      PairsOf({Break("", "a.py", 15, "GB0059"), Break("", "a.py", 16, "GB0059")}, {named}).empty());
}

TEST_CASE("a limit without a culprit is known by its function", "[compare]") {
  Finding quiet = WithClass(Recompile("f", "a.py", 10, ""), GuardClass::kEmpty);
  Finding loud = Recompile("f", "a.py", 50, "x");
  quiet.runs_eager = loud.runs_eager = true;
  CHECK(PairsOf({quiet}, {loud}) == Pairs{"0-0 function"});
  loud.runs_eager = false;
  CHECK(PairsOf({quiet}, {loud}).empty());
}

/// Findings that resemble each other in all ways, `seed` choosing.
std::vector<Finding> Assorted(uint32_t seed) {
  std::vector<Finding> findings;
  const auto next = [&](uint32_t n) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 16) % n;
  };
  const char* functions[] = {"f", "g", "forward"};
  const char* files[] = {"a.py", "b.py"};
  const char* sources[] = {"x", "y"};
  const uint32_t num = next(8);
  for (uint32_t i = 0; i < num; ++i) {
    const char* function = functions[next(3)];
    const char* file = files[next(2)];
    const uint32_t line = 10 * next(4);
    if (next(3) == 0) {
      findings.push_back(Break(function, file, line, next(2) == 0 ? "GB0001" : "old words"));
    } else {
      const GuardClass classes[] = {GuardClass::kSize, GuardClass::kNone, GuardClass::kType};
      findings.push_back(
          WithClass(Recompile(function, file, line, sources[next(2)]), classes[next(3)]));
    }
  }
  return findings;
}

TEST_CASE("matching is one to one, the same both ways, and blind to order", "[compare]") {
  using Texts = std::multiset<std::pair<std::string, std::string>>;
  const auto text = [](const Finding& finding) {
    return finding.fingerprint + " " + std::to_string(finding.where.line + finding.user.line);
  };
  size_t num_pairs = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    std::vector<Finding> before = Assorted(seed);
    std::vector<Finding> after = Assorted(seed + 1000);
    Texts forth;
    std::set<size_t> used_before;
    std::set<size_t> used_after;
    for (const FindingMatch& match : MatchFindings(before, after)) {
      CHECK(used_before.insert(match.before).second);
      CHECK(used_after.insert(match.after).second);
      forth.emplace(text(before[match.before]), text(after[match.after]));
      ++num_pairs;
    }
    std::ranges::reverse(before);
    std::ranges::reverse(after);
    Texts back;
    for (const FindingMatch& match : MatchFindings(after, before)) {
      back.emplace(text(before[match.after]), text(after[match.before]));
    }
    CHECK(back == forth);
    CHECK(MatchFindings(before, before).size() == before.size());
  }
  CHECK(num_pairs > 100);
}

}  // namespace
}  // namespace shapewise
