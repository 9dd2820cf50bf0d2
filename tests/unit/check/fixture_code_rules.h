// Rules over code made on the spot, so that no test hangs on the wording of a real one.

#ifndef SHAPEWISE_TESTS_UNIT_CHECK_FIXTURE_CODE_RULES_H_
#define SHAPEWISE_TESTS_UNIT_CHECK_FIXTURE_CODE_RULES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shapewise/check/code_rule_set.h"
#include "support/catch.h"

namespace shapewise {

/// A warning whose message is the code that it is about.
inline CodeRule MakeCodeRule(std::string code, std::string where,
                             std::string message = "{expression}") {
  CodeRule rule;
  rule.name = "rule-" + code;
  rule.path = "rules/code/" + rule.name + ".md";
  rule.code = std::move(code);
  rule.where = std::move(where);
  rule.message = std::move(message);
  rule.breaks = {"GB0001"};
  return rule;
}

/// For rules that are as they should be.
inline CodeRuleSet MakeCodeRuleSet(const std::vector<CodeRule>& rules) {
  Expected<CodeRuleSet> set = CodeRuleSet::FromRules(rules);
  if (!set) FAIL(llvm::toString(set.takeError()));
  return std::move(*set);
}

/// For rules that are not.
inline std::string CodeRuleError(const CodeRule& rule) {
  Expected<CodeRuleSet> set = CodeRuleSet::FromRules({rule});
  return set ? "no error" : llvm::toString(set.takeError());
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_CHECK_FIXTURE_CODE_RULES_H_
