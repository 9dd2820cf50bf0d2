// Which rule over code speaks of a fact.

#ifndef SHAPEWISE_CHECK_CODE_RULE_SET_H_
#define SHAPEWISE_CHECK_CODE_RULE_SET_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/check/fixes.h"
#include "shapewise/rules/code_rule.h"
#include "shapewise/source/fact.h"
#include "shapewise/source/project.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// The rules over code of the program, or of a test, ready to be matched. Immutable and safe to
/// share between threads.
class CodeRuleSet {
 public:
  /// Reads what the rules' "where" says (analyzer/docs/check.md) and looks into their messages. The
  /// error holds one line for every rule that is not as it should be.
  static Expected<CodeRuleSet> FromRules(llvm::ArrayRef<CodeRule> rules);

  /// The rules built into the program.
  static const CodeRuleSet& Builtin();

  CodeRuleSet(CodeRuleSet&&) noexcept;
  CodeRuleSet& operator=(CodeRuleSet&&) noexcept;
  ~CodeRuleSet();

  /// All rules by code.
  llvm::ArrayRef<CodeRule> rules() const;

  /// Whether some rule may speak of facts of this kind and name: a FactFilter (flow.h).
  bool MayMatch(FactKind kind, std::string_view name) const;

  /// The rule that speaks of `fact`: of those that fit the one with the most keys, of equals a
  /// quiet one, of those the one with the lowest code. Null: none fits.
  const CodeRule* Match(Project& project, const Fact& fact) const;

  /// The ways to fix what `rule`, one of this set's, finds, best first.
  llvm::ArrayRef<FixTemplate> FixesOf(const CodeRule& rule) const;

  /// How many keys the "where" of `rule`, one of this set's, has: how much it asks for.
  size_t NumKeys(const CodeRule& rule) const;

  /// How sure it is, in per cent, that the values that `rule` asks of are what it takes them for.
  uint8_t Certainty(const CodeRule& rule, const Fact& fact) const;

 private:
  struct State;
  explicit CodeRuleSet(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_CODE_RULE_SET_H_
