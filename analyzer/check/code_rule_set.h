// Finds the code rule that matches a fact.

#ifndef SHAPEWISE_CHECK_CODE_RULE_SET_H_
#define SHAPEWISE_CHECK_CODE_RULE_SET_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "check/fixes.h"
#include "llvm/ADT/ArrayRef.h"
#include "rules/code_rule.h"
#include "source/fact.h"
#include "source/project.h"
#include "support/error.h"

namespace shapewise {

/// The code rules of the program, or of a test, prepared for matching. Immutable and safe to share
/// between threads.
class CodeRuleSet {
 public:
  /// Parses the "where" of each rule (analyzer/docs/check.md) and checks its message. The error
  /// contains one line for each faulty rule. What the rules refer to must outlive the result.
  static Expected<CodeRuleSet> FromRules(std::span<const CodeRule> rules);

  /// The rules built into the program.
  static const CodeRuleSet& Builtin();

  CodeRuleSet(CodeRuleSet&&) noexcept;
  CodeRuleSet& operator=(CodeRuleSet&&) noexcept;
  ~CodeRuleSet();

  /// All rules, by code.
  llvm::ArrayRef<CodeRule> rules() const;

  /// Whether any rule may match facts of this kind and name: a FactFilter (flow.h).
  bool MayMatch(FactKind kind, std::string_view name) const;

  /// Whether any rule matches `fact` under some conditions (Fact::conditions).
  bool MayMatch(Project& project, const Fact& fact) const;

  /// Returns the rule for `fact`: among matching rules the one with the most keys, then a quiet
  /// one, then the lowest code. Null: no rule matches.
  const CodeRule* Match(Project& project, const Fact& fact) const;

  /// The possible fixes for findings of `rule`, which is in this set, best first.
  llvm::ArrayRef<FixTemplate> FixesOf(const CodeRule& rule) const;

  /// The advice of `rule`, which is in this set, for a statement: "while", "raise", "in" ...
  std::string_view AdviceFor(const CodeRule& rule, std::string_view statement) const;

  /// The number of keys in the "where" of `rule`, which is in this set: a measure of how specific
  /// it is.
  size_t NumKeys(const CodeRule& rule) const;

  /// The confidence, in per cent, that the values `rule` depends on are what it assumes.
  uint8_t Certainty(const CodeRule& rule, const Fact& fact) const;

  /// RunConditions of `fact` and of the values that the rule tests.
  uint16_t Conditions(const CodeRule& rule, const Fact& fact) const;

 private:
  struct State;
  explicit CodeRuleSet(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_CODE_RULE_SET_H_
