// Rules: what is said of a cause, how bad it is, and what to do about it.
//
// A rule is one Markdown file (analyzer/docs/adding-a-rule.md). Every cause gets exactly one. Rules
// over code are read here, too, and used by the module check.

#ifndef SHAPEWISE_RULES_RULE_SET_H_
#define SHAPEWISE_RULES_RULE_SET_H_

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/causes/cause.h"
#include "shapewise/model/session.h"
#include "shapewise/result/diagnostic.h"
#include "shapewise/result/finding.h"
#include "shapewise/rules/code_rule.h"
#include "shapewise/rules/rule_head.h"
#include "shapewise/support/error.h"

namespace shapewise {

class BreakRegistry;
struct ConditionKind;

/// One file under rules/: a rule, registry.json or libraries.json.
struct RuleSource {
  std::string_view path;  ///< "rules/guards/int-argument.md"
  std::string_view text;
};

/// One key of a rule's "where".
struct RuleCondition {
  const ConditionKind* kind = nullptr;  ///< how it is decided; static
  std::string name;                     ///< the key: "class"
  std::vector<std::string> words;       ///< any one has to fit; empty for a true/false condition
  bool flag = false;                    ///< what a true/false condition asks for
};

/// One proposal of a rule, with placeholders.
struct AdviceTemplate {
  std::vector<RuleCondition> conditions;  ///< all must hold, beside those of the rule

  std::string kind;  ///< a kind of the contract's actions: "hoist"
  std::string text;
  std::string code;   ///< may be empty
  std::string trap;   ///< may be empty
  std::string torch;  ///< ">=2.2 <2.8"; empty: that of the rule
  double confidence = 0.5;
};

/// How to learn more, with placeholders.
struct NextStepTemplate {
  std::vector<RuleCondition> conditions;  ///< all must hold, beside those of the rule
  std::string text;
  std::string code;  ///< may be empty
};

/// One rule over logs, read.
struct Rule : RuleHead {
  std::optional<CauseKind> over;          ///< absent: it speaks of the log itself ("over": "log")
  std::vector<RuleCondition> conditions;  ///< all must hold
  std::vector<AdviceTemplate> advice;     ///< best first
  std::vector<NextStepTemplate> next_steps;
};

/// What helps with the code of one library, which its users do not edit.
struct LibraryRemedy {
  std::string library;                  ///< "einops"
  std::vector<std::string> folders;     ///< its files go through one of them: "einops/"
  std::string server;                   ///< for all that its log contains: "vllm"; may be empty
  std::vector<CauseKind> over;          ///< the kinds of causes that it is for
  std::vector<std::string> instead_of;  ///< kinds of actions that do not help there
  AdviceTemplate advice;                ///< comes first
};

/// What the graph-break registry says of one kind of break.
struct RegistryEntry {
  std::string id;        ///< "GB0124"
  std::string type;      ///< its text in the log
  std::string category;  ///< "SCAL"
  std::string fix;       ///< "B", or "C/A": C first, A for a part of it
  std::string hint;      ///< one letter a hint of PyTorch: "Ux"; "-" or empty: none
  std::string alias;     ///< the id that a removed entry lives on under; empty: not removed
  /// Other wordings of the type; one that ends in '*' stands for all that begin so.
  std::vector<std::string> also;
};

/// The rules of the program, or of a test. Immutable and safe to share between threads.
class RuleSet {
 public:
  /// Reads rules, libraries.json and, at most once, a registry.json out of `files`, which may die
  /// afterwards. The error holds one line for every file that is not as it should be, with path and
  /// line; the registry is looked into when it is first needed (CheckRegistry).
  static Expected<RuleSet> FromFiles(std::span<const RuleSource> files);

  /// The rules built into the program, read on the first call (milliseconds).
  static const RuleSet& Builtin();

  RuleSet(RuleSet&&) noexcept;
  RuleSet& operator=(RuleSet&&) noexcept;
  ~RuleSet();

  /// All rules over logs by code.
  const std::vector<Rule>& rules() const { return rules_; }

  /// All rules over code by code.
  const std::vector<CodeRule>& code_rules() const { return code_rules_; }

  /// What rules of both kinds have in common, by code.
  std::vector<const RuleHead*> Heads() const;

  /// The rule over logs with this code or name, in either case; null if there is none.
  const Rule* Find(std::string_view code_or_name) const;

  /// The rule of either kind with this code or name, in either case; null if there is none.
  const RuleHead* FindHead(std::string_view code_or_name) const;

  /// The one rule for `cause`: of those whose conditions all hold the one with the most conditions,
  /// of those the one with the lowest code. Null if the kind has no rule that fits.
  const Rule* Match(const Cause& cause) const;

  /// What `rule` says of `cause`. The rule need not be the one that Match gives.
  Finding MakeFinding(const Rule& rule, const Cause& cause) const;

  /// What the rules over the log say of its data-quality counters: one finding for each counter
  /// that is not zero and has a rule, in the order of the counters. `where` is the place at which
  /// the counter was first bumped: its file is the name of the input.
  std::vector<Finding> LogFindings(const Session& session) const;

  /// The registry's entry with this id, in either case, leading zeros optional: "gb59" is "GB0059".
  /// Null if there is none.
  const RegistryEntry* FindBreak(std::string_view gb_id) const;

  /// The first entry whose type, or one of its other wordings, is `type`; else the one whose
  /// wording with '*' is the longest start of it. Null if there is none.
  const RegistryEntry* FindBreakByType(std::string_view type) const;

  /// The entry of a graph break: by id, else by type; null where neither is known, which makes the
  /// break unclassified.
  const RegistryEntry* Classify(const Cause& graph_break) const;

  /// The id that names a graph break in every release: that of its entry, for a removed entry the
  /// one it lives on under. Empty where the break is unclassified, and for other causes.
  std::string_view BreakId(const Cause& cause) const;

  /// All entries, in the order of the file.
  const std::vector<RegistryEntry>& registry() const;

  /// The manual of a rule (by code or name) or of a graph break (by registry id), as text for a
  /// terminal. An unknown `what` is an error that names what comes nearest.
  Expected<std::string> Explain(std::string_view what) const;

  /// What the files of the rules over logs say of why a cause costs and of what to do, by code.
  std::vector<RuleProse> Prose() const;

  /// The words by which causes are told apart in messages of PyTorch: those of the registry's types
  /// and of conditions that look for a text. Some stand there twice.
  std::vector<std::string> TextWords() const;

  /// Whether the registry can be read and all words of `category` conditions stand in it.
  Error CheckRegistry() const;

 private:
  RuleSet();

  struct Subject SubjectOf(const Cause& cause) const;
  void AddRemedy(const Rule& rule, const struct Subject& subject, Finding& finding) const;
  const Rule* MatchRule(const struct Subject& subject) const;
  std::string ExplainBreak(const RegistryEntry& entry) const;

  std::vector<Rule> rules_;
  std::vector<CodeRule> code_rules_;
  std::vector<LibraryRemedy> remedies_;
  /// Indices into rules_ by kind, in the order in which they are tried; the last row is the log's.
  std::array<std::vector<size_t>, kNumCauseKinds + 1> tried_;
  std::unique_ptr<BreakRegistry> registry_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_SET_H_
