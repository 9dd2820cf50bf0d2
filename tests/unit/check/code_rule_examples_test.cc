// The examples of every rule over code, by the whole way from text to findings.

#include <algorithm>
#include <string>
#include <vector>

#include "check/code_rule_set.h"
#include "check/fold_findings.h"
#include "pipeline/check.h"
#include "rules/rule_file.h"
#include "rules/rule_set.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// "code:LINE: SEVERITY[CODE]: MESSAGE" for every finding of the rule `code` in `text`.
std::vector<std::string> FindingsOf(const std::string& code, const std::string& text) {
  std::vector<std::string> reported;
  const auto report = [&](uint32_t line, Severity severity, const std::string& message) {
    reported.push_back("code:" + std::to_string(line) + ": " + std::string(SeverityName(severity)) +
                       "[" + code + "]: " + message);
  };
  CodeInputs inputs;
  inputs.files.push_back(
      {.path = "code.py", .text = text, .is_checked = true, .notebook = nullptr});
  inputs.num_files = 1;
  Expected<CodeAnalysis> analysis = AnalyzeCode(CheckOptions(), inputs);
  if (!analysis) FAIL(llvm::toString(analysis.takeError()));
  FoldFindings(analysis->result.findings);
  for (const CodeFinding& finding : analysis->result.findings) {
    if (finding.rule == code) report(finding.range.line, finding.severity, finding.message);
  }
  for (const CodeFault& fault : analysis->result.faults) {
    if (fault.rule == code) report(fault.range.line, fault.severity, fault.message);
  }
  std::ranges::sort(reported);
  return reported;
}

TEST_CASE("the built-in rules over code can be matched", "[check]") {
  Expected<CodeRuleSet> set = CodeRuleSet::FromRules(RuleSet::Builtin().code_rules());
  if (!set) FAIL(llvm::toString(set.takeError()));
  CHECK_FALSE(set->rules().empty());
}

TEST_CASE("the examples of each rule over code match its expectations", "[check]") {
  size_t examples = 0;
  for (const RuleHead* rule : RuleSet::Builtin().Heads()) {
    Expected<RuleFile> file = ReadRuleFile(rule->path, rule->markdown);
    REQUIRE(static_cast<bool>(file));
    for (const RuleExample& example : file->examples) {
      if (!example.is_code) continue;
      INFO(rule->path << " line " << example.line << ", which "
                      << (example.fires ? "fires" : "stays quiet") << "\n"
                      << example.text);
      std::vector<std::string> expected = example.expect;
      std::ranges::sort(expected);
      CHECK(FindingsOf(file->code, example.text) == expected);
      ++examples;
    }
  }
  CHECK(examples >= RuleSet::Builtin().code_rules().size());
}

}  // namespace
}  // namespace shapewise
