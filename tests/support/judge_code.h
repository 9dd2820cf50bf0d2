// What rules over code say of a text of Python, by the whole way from text to findings.

#ifndef SHAPEWISE_TESTS_SUPPORT_JUDGE_CODE_H_
#define SHAPEWISE_TESTS_SUPPORT_JUDGE_CODE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/code_rule_set.h"
#include "check/fold_findings.h"
#include "check/judge_facts.h"
#include "source/flow.h"
#include "source/project.h"

namespace shapewise {

/// Findings in `project`, whose files are all added.
inline std::vector<CodeFinding> JudgeProject(Project& project, const CodeRuleSet& rules,
                                             CodeMode mode = CodeMode::kBoth) {
  const auto wanted = [&](FactKind kind, std::string_view name) {
    return rules.MayMatch(kind, name);
  };
  const FlowResult flow = Follow(project, wanted, /*jobs=*/1);
  std::vector<CodeFinding> findings;
  for (const std::vector<Fact>* facts : {&flow.facts, &flow.outside}) {
    std::vector<CodeFinding> some = JudgeFacts(project, *facts, rules, mode);
    FoldFindings(some);
    for (CodeFinding& finding : some) findings.push_back(std::move(finding));
  }
  return findings;
}

/// Findings in one file, which is called "code.py".
inline std::vector<CodeFinding> JudgeCode(std::string_view text, const CodeRuleSet& rules,
                                          CodeMode mode = CodeMode::kBoth) {
  Project project;
  project.AddFile("code.py", "code", std::string(text), /*is_checked=*/true);
  return JudgeProject(project, rules, mode);
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_JUDGE_CODE_H_
