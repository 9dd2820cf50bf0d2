// The examples of every rule file, run through the whole pipeline.

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/lint.h"
#include "rules/example_log.h"
#include "rules/rule_file.h"
#include "rules/rule_set.h"
#include "support/catch.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

/// "log:LINE: SEVERITY[CODE]: MESSAGE" for every finding of the rule `code` in `log`.
std::vector<std::string> FindingsOf(const std::string& code, const std::string& log) {
  MemoryFiles memory;
  memory.files["log"] = log;
  Session session;
  LintOptions options;
  options.paths = {"log"};
  Expected<LintResult> result = Lint(options, memory, session);
  REQUIRE(static_cast<bool>(result));
  std::vector<std::string> reported;
  for (const Finding& finding : result->findings) {
    if (finding.rule != code) continue;
    const uint64_t line =
        finding.events.empty() ? finding.where.line : session.events()[finding.events.front()].line;
    reported.push_back("log:" + std::to_string(line) + ": " +
                       std::string(SeverityName(finding.severity)) + "[" + finding.rule +
                       "]: " + finding.message);
  }
  std::sort(reported.begin(), reported.end());
  return reported;
}

TEST_CASE("the examples of each rule match its expectations", "[rules]") {
  size_t examples = 0;
  for (const RuleHead* rule : RuleSet::Builtin().Heads()) {
    Expected<RuleFile> file = ReadRuleFile(rule->path, rule->markdown);
    REQUIRE(static_cast<bool>(file));
    for (const RuleExample& example : file->examples) {
      if (example.is_code) continue;  // tests/unit/check runs them
      INFO(rule->path << " line " << example.line << ", which "
                      << (example.fires ? "fires" : "stays quiet"));
      std::vector<std::string> expected = example.expect;
      std::sort(expected.begin(), expected.end());
      Expected<std::string> log = ExpandExampleLog(example.text);
      if (!log) FAIL(llvm::toString(log.takeError()));
      CHECK(FindingsOf(file->code, *log) == expected);
      ++examples;
    }
  }
  CHECK(examples >= 2 * RuleSet::Builtin().rules().size());
}

}  // namespace
}  // namespace shapewise
