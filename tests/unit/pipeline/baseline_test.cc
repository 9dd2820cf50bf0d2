#include "pipeline/load_run.h"

#include <algorithm>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace shapewise
