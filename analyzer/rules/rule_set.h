// Rules: the message, severity and advice for a cause.
//
// A rule is one Markdown file (analyzer/docs/adding-a-rule.md). Exactly one rule applies to each
// cause. Rules over code are parsed here as well and used by the module check.

#ifndef SHAPEWISE_RULES_RULE_SET_H_
#define SHAPEWISE_RULES_RULE_SET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "causes/cause.h"
#include "model/session.h"
#include "result/diagnostic.h"
#include "result/finding.h"
#include "rules/code_rule.h"
#include "rules/rule_head.h"
#include "support/error.h"

namespace shapewise {

struct RuleTables;

/// A file below rules/: a rule, registry.json, libraries.json or actions.json.
struct RuleSource {
  std::string_view path;  ///< "rules/guards/int-argument.md"
  std::string_view text;
};

/// One key of a rule's "where".
struct RuleCondition {
  uint8_t kind = 0;   ///< index into BuiltinConditions() (rules/conditions)
  bool flag = false;  ///< the required value of a true/false condition; with words: none may match
  std::span<const std::string_view> words;  ///< any may match; empty for a true/false condition
};

/// One action of a rule, with placeholders.
struct AdviceTemplate {
  std::span<const RuleCondition> conditions;  ///< all must hold, in addition to those of the rule

  std::string_view kind;  ///< a kind of action in the contract: "hoist"
  std::string_view text;
  std::string_view code;   ///< may be empty
  std::string_view trap;   ///< may be empty
  std::string_view torch;  ///< ">=2.2 <2.8"; empty: as for the rule
  double confidence = 0.5;
};

/// How to learn more, with placeholders.
struct NextStepTemplate {
  std::span<const RuleCondition> conditions;  ///< all must hold, in addition to those of the rule
  std::string_view text;
  std::string_view code;  ///< may be empty
};

/// A parsed rule over logs.
struct Rule : RuleHead {
  std::optional<CauseKind> over;  ///< absent: it is about the log itself ("over": "log")
  std::span<const RuleCondition> conditions;  ///< all must hold
  std::span<const AdviceTemplate> advice;     ///< best first
  std::span<const NextStepTemplate> next_steps;
};

/// Advice for causes in a library, whose code its users do not edit.
struct LibraryRemedy {
  std::string_view library;                   ///< "einops"
  std::span<const std::string_view> folders;  ///< its files go through one of them: "einops/"
  std::string_view server;          ///< for all that its log contains: "vllm"; may be empty
  std::span<const CauseKind> over;  ///< the kinds of causes that it is for
  std::span<const std::string_view> instead_of;  ///< kinds of actions that do not help there
  AdviceTemplate advice;                         ///< comes first
};

/// The entry of one kind of break in the graph-break registry.
struct RegistryEntry {
  std::string_view id;        ///< "GB0124"
  std::string_view type;      ///< its text in the log
  std::string_view category;  ///< "SCAL"
  std::string_view fix;       ///< "B", or "C/A": mainly C, partly A
  std::string_view hint;      ///< one letter per hint of PyTorch: "Ux"; "-" or empty: none
  std::string_view alias;     ///< the id that replaces a removed entry; empty: not removed
  /// Other wordings of the type; a trailing '*' is a wildcard.
  std::span<const std::string_view> also;
};

/// The rules of the program, or of a test. Immutable and safe to share between threads.
class RuleSet {
 public:
  /// Parses rules, libraries.json, actions.json and at most one registry.json from `files`, which
  /// need not outlive the call. The error contains one line for every faulty file, with path and
  /// line. With a registry, rules may only name its categories.
  static Expected<RuleSet> FromFiles(std::span<const RuleSource> files);

  /// Rules that are already parsed; what `tables` refer to must outlive the result.
  static RuleSet FromTables(const RuleTables& tables);

  /// The built-in rules: tables that the build compiled from rules/ (rules/table_writer.h).
  static const RuleSet& Builtin();

  RuleSet(RuleSet&&) noexcept;
  RuleSet& operator=(RuleSet&&) noexcept;
  ~RuleSet();

  /// All rules over logs, by code.
  std::span<const Rule> rules() const;

  /// All rules over code, by code.
  std::span<const CodeRule> code_rules() const;

  /// The common parts of rules of both kinds, by code.
  std::vector<const RuleHead*> Heads() const;

  /// The rule over logs with this code or name, ignoring case; null: none.
  const Rule* Find(std::string_view code_or_name) const;

  /// The rule of either kind with this code or name, ignoring case; null: none.
  const RuleHead* FindHead(std::string_view code_or_name) const;

  /// The rule for `cause`: of those whose conditions all hold, the most specific one
  /// (analyzer/docs/adding-a-rule.md); ties go to the lowest code. Null: no rule of the kind
  /// matches.
  const Rule* Match(const Cause& cause) const;

  /// The finding of `rule` for `cause`. The rule need not be the result of Match.
  Finding MakeFinding(const Rule& rule, const Cause& cause) const;

  /// Findings of the rules over the log: one for each data-quality counter that is not zero and has
  /// a rule, in counter order. `where` is the place where the counter was first incremented; its
  /// file is the name of the input.
  std::vector<Finding> LogFindings(const Session& session) const;

  /// The registry's entry with this id, ignoring case and leading zeros: "gb59" is "GB0059". Null:
  /// none.
  const RegistryEntry* FindBreak(std::string_view gb_id) const;

  /// The first entry whose type, or another wording of it, is `type`; else the one with the longest
  /// matching wildcard. Null: none.
  const RegistryEntry* FindBreakByType(std::string_view type) const;

  /// The entry of a graph break by id, else by type; null: unknown, so the break is unclassified.
  const RegistryEntry* Classify(const Cause& graph_break) const;

  /// The id of a graph break that is valid in every release: that of its entry, or the replacement
  /// of a removed entry. Empty if the break is unclassified, and for other causes.
  std::string_view BreakId(const Cause& cause) const;

  /// Whether libraries.json has a remedy for the library that causes it.
  bool HasRemedy(const Cause& cause) const;

  /// All entries, in file order.
  std::span<const RegistryEntry> registry() const;

  /// The manual of a rule (by code or name) or of a graph break (by registry id), as text for a
  /// terminal. Error: unknown `what`; suggests the nearest.
  Expected<std::string> Explain(std::string_view what) const;

  /// Explanations from the files of rules over logs: why a cause is costly, and what to do, by
  /// code.
  std::vector<RuleProse> Prose() const;

  /// Words that distinguish causes in messages of PyTorch: those of the registry's types and of
  /// conditions on text. May contain duplicates.
  std::vector<std::string> TextWords() const;

  /// All that the files define, as tables: what the build compiles.
  const RuleTables& tables() const;

 private:
  struct State;
  explicit RuleSet(std::unique_ptr<const State> state);

  struct Subject SubjectOf(const Cause& cause) const;
  const LibraryRemedy* FindRemedy(const struct Subject& subject) const;
  void AddRemedy(const Rule& rule, const struct Subject& subject, Finding& finding) const;
  const Rule* MatchRule(const struct Subject& subject) const;
  std::string ExplainBreak(const RegistryEntry& entry) const;

  std::unique_ptr<const State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_SET_H_
