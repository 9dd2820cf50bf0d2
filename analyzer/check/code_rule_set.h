// Finds the code rule that matches a fact, and the rules of what no fact shows.

#ifndef SHAPEWISE_CHECK_CODE_RULE_SET_H_
#define SHAPEWISE_CHECK_CODE_RULE_SET_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/fact_condition.h"
#include "check/fixes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
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

  /// All rules, by code.
  llvm::ArrayRef<CodeRule> rules() const { return rules_; }

  /// Whether any rule may match facts of this kind and name: a FactFilter (flow.h).
  bool MayMatch(FactKind kind, std::string_view name) const;

  /// Whether any rule matches `fact` under some conditions (Fact::conditions).
  bool MayMatch(Project& project, const Fact& fact) const;

  /// Returns the rule for `fact`: among matching rules the one with the most keys, then a quiet
  /// one, then the lowest code. Null: no rule matches.
  const CodeRule* Match(Project& project, const Fact& fact) const;

  /// The possible fixes for findings of `rule`, which is in this set, best first.
  llvm::ArrayRef<FixTemplate> FixesOf(const CodeRule& rule) const { return fixes_[IndexOf(rule)]; }

  /// The advice of `rule`, which is in this set, for a statement: "while", "raise", "in" ...
  std::string_view AdviceFor(const CodeRule& rule, std::string_view statement) const;

  /// The parsed "where" of `rule`, which is in this set.
  const FactCondition& ConditionOf(const CodeRule& rule) const {
    return conditions_[IndexOf(rule)];
  }

 private:
  /// Indices into tried_, ascending.
  using Ranks = std::vector<uint32_t>;

  /// The rules for facts of one kind.
  struct KindIndex {
    llvm::StringMap<Ranks> by_name;
    /// Rules without names, or with a '*' in one, by the first letter of the names that they can
    /// fit.
    std::array<Ranks, 256> others;

    const Ranks& OthersFor(std::string_view name) const {
      return others[name.empty() ? 0 : static_cast<uint8_t>(name.front())];
    }
  };

  CodeRuleSet() = default;
  size_t IndexOf(const CodeRule& rule) const { return static_cast<size_t>(&rule - rules_.data()); }
  /// The first rule whose kind and name fit `fact` and for which `holds` is true; null: none.
  const CodeRule* FirstMatch(const Fact& fact,
                             llvm::function_ref<bool(const FactCondition&)> holds) const;
  void MakeIndex();

  std::vector<CodeRule> rules_;                           ///< by code
  std::vector<FactCondition> conditions_;                 ///< of rules_
  std::vector<std::vector<FixTemplate>> fixes_;           ///< of rules_
  std::vector<llvm::StringMap<std::string>> advice_for_;  ///< of rules_
  /// Indices into rules_: most keys first, then non-quiet rules, then by code.
  std::vector<uint32_t> tried_;
  std::vector<KindIndex> kinds_;  ///< by FactKind
};

// Rules that the file readers report themselves, without value flow ("reader": true).

/// The code for a file that could not be read.
inline constexpr std::string_view kUnreadableCode = "SWP000";
/// The code for code whose analysis was not finished.
inline constexpr std::string_view kNotFollowedCode = "SWP901";
/// The code of a comment that suppresses nothing.
inline constexpr std::string_view kUnusedIgnoreCode = "SWP900";

/// The built-in rule with this code, which is one of those above.
const CodeRule& ReaderRule(std::string_view code);

/// The rule's message, with `found` in place of {found}.
std::string ReaderMessage(const CodeRule& rule, std::string_view found);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_CODE_RULE_SET_H_
