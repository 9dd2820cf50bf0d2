#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/lint.h"
#include "pipeline/load_run.h"
#include "report/report.h"
#include "support/catch.h"
#include "support/corpus.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

LintResult LintOf(const std::string& text) {
  MemoryFiles memory;
  memory.files["log"] = text;
  Session session;
  LintOptions options;
  options.paths = {"log"};
  Expected<LintResult> result = Lint(options, memory, session);
  REQUIRE(static_cast<bool>(result));
  return std::move(*result);
}

std::string BaselineOf(const std::vector<Finding>& findings) {
  std::string text;
  llvm::raw_string_ostream out(text);
  WriteBaseline(findings, out);
  return out.str();
}

std::vector<Finding> ReadBack(const std::string& text) {
  MemoryFiles memory;
  memory.files["known.json"] = text;
  Expected<std::vector<Finding>> known = LoadBaseline("known.json", memory);
  REQUIRE(static_cast<bool>(known));
  return std::move(*known);
}

TEST_CASE("the baseline of a log suppresses all its causes", "[baseline]") {
  for (const CorpusLog& log : AllCorpusLogs()) {
    CAPTURE(log.name);
    LintResult result = LintOf(log.text);
    std::vector<Finding> findings = result.findings;
    const std::string text = BaselineOf(findings);
    std::ranges::reverse(findings);
    CHECK(BaselineOf(findings) == text);

    const std::vector<Finding> known = ReadBack(text);
    CHECK(BaselineOf(known) == text);
    REQUIRE_FALSE(static_cast<bool>(SuppressKnown(known, "known.json", {}, result)));
    CHECK(result.findings.empty());
    REQUIRE(result.baseline);
    CHECK(result.baseline->held_back.size() == findings.size());
    CHECK(result.baseline->stale.empty());
    CHECK(result.baseline->worse.empty());
  }
}

Finding Known(const std::string& rule) {
  Finding finding;
  finding.rule = rule;
  finding.identity.kind = "recompile";
  finding.identity.function = "f";
  finding.identity.source = rule;
  finding.fingerprint = rule;
  return finding;
}

TEST_CASE("an entry that cannot occur is not stale", "[baseline]") {
  LintResult result;
  LintOptions options;
  REQUIRE_FALSE(static_cast<bool>(SuppressKnown({Known("SWG002")}, "known.json", options, result)));
  CHECK(result.baseline->stale.size() == 1);

  options.ignore = {"SWG"};
  REQUIRE_FALSE(static_cast<bool>(SuppressKnown({Known("SWG002")}, "known.json", options, result)));
  CHECK(result.baseline->stale.empty());

  result.coverage.recompiles = Printed::kNo;
  REQUIRE_FALSE(static_cast<bool>(SuppressKnown({Known("SWG002")}, "known.json", {}, result)));
  CHECK(result.baseline->stale.empty());
}

TEST_CASE("a known cause that got worse is reported", "[baseline]") {
  LintResult result;
  result.findings = {Known("SWG002")};
  result.findings[0].runs_eager = true;
  REQUIRE_FALSE(static_cast<bool>(SuppressKnown({Known("SWG002")}, "known.json", {}, result)));
  CHECK(result.findings.size() == 1);
  CHECK(result.baseline->worse == std::vector<std::string>{"SWG002"});
  CHECK(result.baseline->held_back.empty());

  result.findings[0].runs_eager = false;
  result.findings[0].count = 1000;
  REQUIRE_FALSE(static_cast<bool>(SuppressKnown({Known("SWG002")}, "known.json", {}, result)));
  CHECK(result.findings.empty());
}

/// A session of inputs that hold one event each, with or without a time.
std::vector<std::string> Described(const std::vector<std::string>& names, bool has_times) {
  Session session;
  for (const std::string& name : names) {
    Event event;
    event.input = session.AddInput(name);
    session.input(event.input).bytes = 812;
    session.input(event.input).lines = 9;
    event.line = 3;
    if (has_times) event.time = {.year = 0, .month = 11, .day = 21, .micros = 5};
    event.detail = session.InternDetail({.fact = GraphBreakFact()});
    session.AddEvent(event);
  }
  session.SortByPlace();
  return DescribeRepeatedInputs(session);
}

using Sentences = std::vector<std::string>;

TEST_CASE("inputs with the same events at the same times are one log", "[pipeline]") {
  CHECK(Described({"a/run.log", "b/copy.log"}, true) ==
        Sentences{"a/run.log was read twice, also as b/copy.log: what it holds counts twice."});
}

TEST_CASE("without times, the names must be equal, compressed or not", "[pipeline]") {
  CHECK(Described({"run0.log", "run1.log"}, false).empty());
  CHECK(Described({"run.log", "run.log.gz", "run.log.zst", "run.log.1.gz"}, false) ==
        Sentences{"run.log was read 3 times, also as run.log.gz: what it holds counts 3 times."});
}

TEST_CASE("an unreadable path does not prevent reading the others", "[pipeline]") {
  MemoryFiles memory;
  memory.files["rank0.log"] = "skipping cudagraphs due to mutated inputs (3 instances)\n";
  Session session;
  LintOptions options;
  options.paths = {"missing.log", "rank0.log"};
  Expected<LintResult> result = Lint(options, memory, session);
  REQUIRE(static_cast<bool>(result));
  REQUIRE(result->unread.size() == 1);
  CHECK(result->unread[0] == "missing.log: no such file");
  CHECK(result->findings.size() == 1);
}

TEST_CASE("a selector without a match is an error before anything is read", "[pipeline]") {
  MemoryFiles memory;
  Session session;
  LintOptions options;
  options.paths = {"missing.log"};
  options.select = {"SWX"};
  Expected<LintResult> result = Lint(options, memory, session);
  CHECK_FALSE(static_cast<bool>(result));
  llvm::consumeError(result.takeError());
}

}  // namespace

}  // namespace shapewise
