// Rules over code made on the spot, so that no test hangs on the wording of a real one.

#ifndef SHAPEWISE_TESTS_UNIT_CHECK_FIXTURE_CODE_RULES_H_
#define SHAPEWISE_TESTS_UNIT_CHECK_FIXTURE_CODE_RULES_H_

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/code_rule_set.h"
#include "support/catch.h"

namespace shapewise {

/// `text`, for as long as the tests run.
inline std::string_view Keep(std::string text) {
  static std::deque<std::string> kept;
  return kept.emplace_back(std::move(text));
}

/// A warning whose message is the code that it is about.
inline CodeRule MakeCodeRule(const std::string& code, std::string where,
                             std::string message = "{expression}") {
  static constexpr std::string_view kBreaks[] = {"GB0001"};
  CodeRule rule;
  rule.name = Keep("rule-" + code);
  rule.path = Keep("rules/code/rule-" + code + ".md");
  rule.code = Keep(code);
  rule.where = Keep(std::move(where));
  rule.message = Keep(std::move(message));
  rule.breaks = kBreaks;
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
  Expected<CodeRuleSet> set = CodeRuleSet::FromRules(std::span(&rule, 1));
  return set ? "no error" : llvm::toString(set.takeError());
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_CHECK_FIXTURE_CODE_RULES_H_
