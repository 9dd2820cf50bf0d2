// There are many facts and few rules, so a fact is only compared with rules that can match: those
// that list its name, and those without names or with a '*' in a name. Both lists are in the order
// in which rules are tried, and are merged while a fact is matched.

#include "check/code_rule_set.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "check/code_placeholders.h"
#include "check/fact_condition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "rules/rule_set.h"

namespace shapewise {
namespace {

constexpr size_t kNumFactKinds = static_cast<size_t>(FactKind::kAssert) + 1;

/// Indices into CodeRuleSet::State::tried, ascending.
using Ranks = std::vector<uint32_t>;

/// The rules for facts of one kind.
struct KindIndex {
  llvm::StringMap<Ranks> by_name;
  /// Rules without names, or with a '*' in one, by the first letter of the names that they can fit.
  std::array<Ranks, 256> others;

  const Ranks& OthersFor(std::string_view name) const {
    return others[name.empty() ? 0 : static_cast<uint8_t>(name.front())];
  }
};

/// Parses the parts of `rule` that the rule modules do not parse.
Expected<FactCondition> ReadRule(const CodeRule& rule) {
  if (Error error = CheckCodePlaceholders(rule.message)) {
    return MakeError("'message': " + llvm::toString(std::move(error)));
  }
  if (Error error = CheckCodePlaceholders(rule.advice)) {
    return MakeError("'advice': " + llvm::toString(std::move(error)));
  }
  return ParseFactCondition(rule.where);
}

/// Parses the "advice_for" of `rule`: texts by statement.
Expected<llvm::StringMap<std::string>> ReadAdviceFor(const CodeRule& rule) {
  llvm::StringMap<std::string> texts;
  if (rule.advice_for.empty()) return texts;
  const nlohmann::json object = nlohmann::json::parse(rule.advice_for);
  for (const auto& [statement, text] : object.items()) {
    if (!text.is_string()) return MakeError("'advice_for' has to contain texts");
    texts[statement] = text.get<std::string>();
    if (Error error = CheckCodePlaceholders(texts[statement])) {
      return MakeError("'advice_for': " + llvm::toString(std::move(error)));
    }
  }
  return texts;
}

Expected<std::vector<FixTemplate>> ReadFixes(const CodeRule& rule) {
  if (rule.fix.empty()) return std::vector<FixTemplate>();
  Expected<std::vector<FixTemplate>> fixes = ParseFixes(rule.fix);
  if (!fixes) return MakeError("'fix': " + llvm::toString(fixes.takeError()));
  return fixes;
}

/// Appends `part` of `rule` to `parts`, or what is wrong with it to `errors`.
template <typename Part>
void Keep(Expected<Part> part, const CodeRule& rule, std::vector<Part>& parts, Error& errors) {
  if (part) {
    parts.push_back(std::move(*part));
    return;
  }
  errors = llvm::joinErrors(std::move(errors), MakeError(std::string(rule.path) + ": " +
                                                         llvm::toString(part.takeError())));
}

}  // namespace

struct CodeRuleSet::State {
  std::vector<CodeRule> rules;                           ///< by code
  std::vector<FactCondition> conditions;                 ///< of `rules`
  std::vector<std::vector<FixTemplate>> fixes;           ///< of `rules`
  std::vector<llvm::StringMap<std::string>> advice_for;  ///< of `rules`
  /// Indices into `rules`: most keys first, then non-quiet rules, then by code.
  std::vector<uint32_t> tried;
  std::array<KindIndex, kNumFactKinds> kinds;

  /// Whether `name` matches `condition`.
  static bool FitsName(const FactCondition& condition, std::string_view name) {
    if (condition.names.empty() && condition.globs.empty()) return true;
    return llvm::is_contained(condition.names, name) ||
           llvm::any_of(condition.globs,
                        [&](const std::string& glob) { return FitsGlob(glob, name); });
  }

  /// Whether a name that begins with `letter` may match; 0: the empty name.
  static bool MayBegin(const FactCondition& condition, char letter) {
    if (condition.names.empty() && condition.globs.empty()) return true;
    const auto begins = [&](const std::string& name) {
      return name.empty() || name.front() == letter || name.front() == '*';
    };
    return llvm::any_of(condition.names, begins) || llvm::any_of(condition.globs, begins);
  }

  const FactCondition& ConditionOf(const CodeRule& rule) const {
    return conditions[static_cast<size_t>(&rule - rules.data())];
  }

  /// The first rule whose kind and name fit `fact` and for which `holds` is true; null: none.
  const CodeRule* FirstMatch(const Fact& fact,
                             llvm::function_ref<bool(const FactCondition&)> holds) const;

  void MakeIndex();
};

const CodeRule* CodeRuleSet::State::FirstMatch(
    const Fact& fact, llvm::function_ref<bool(const FactCondition&)> holds) const {
  const KindIndex& index = kinds[static_cast<size_t>(fact.kind)];
  static const Ranks no_ranks;
  const auto named = index.by_name.find(llvm::StringRef(fact.name));
  const Ranks& by_name = named == index.by_name.end() ? no_ranks : named->second;
  const Ranks& others = index.OthersFor(fact.name);
  auto by_name_next = by_name.begin();
  auto others_next = others.begin();
  while (by_name_next != by_name.end() || others_next != others.end()) {
    const bool takes_other = by_name_next == by_name.end() ||
                             (others_next != others.end() && *others_next < *by_name_next);
    const uint32_t rule = tried[takes_other ? *others_next++ : *by_name_next++];
    const FactCondition& condition = conditions[rule];
    if (takes_other && !FitsName(condition, fact.name)) continue;
    if (holds(condition)) return &rules[rule];
  }
  return nullptr;
}

void CodeRuleSet::State::MakeIndex() {
  tried.resize(rules.size());
  for (uint32_t i = 0; i < rules.size(); ++i) tried[i] = i;
  llvm::stable_sort(tried, [&](uint32_t a, uint32_t b) {
    if (conditions[a].num_keys != conditions[b].num_keys) {
      return conditions[a].num_keys > conditions[b].num_keys;
    }
    return rules[a].is_quiet && !rules[b].is_quiet;
  });
  for (uint32_t rank = 0; rank < tried.size(); ++rank) {
    const FactCondition& condition = conditions[tried[rank]];
    for (size_t kind = 0; kind < kNumFactKinds; ++kind) {
      if ((condition.at & (uint32_t{1} << kind)) == 0) continue;
      KindIndex& index = kinds[kind];
      if (condition.names.empty() || !condition.globs.empty()) {
        for (size_t letter = 0; letter < index.others.size(); ++letter) {
          if (MayBegin(condition, static_cast<char>(letter))) index.others[letter].push_back(rank);
        }
        continue;
      }
      for (const std::string& name : condition.names) index.by_name[name].push_back(rank);
    }
  }
}

CodeRuleSet::CodeRuleSet(std::unique_ptr<State> state) : state_(std::move(state)) {}
CodeRuleSet::CodeRuleSet(CodeRuleSet&&) noexcept = default;
CodeRuleSet& CodeRuleSet::operator=(CodeRuleSet&&) noexcept = default;
CodeRuleSet::~CodeRuleSet() = default;

Expected<CodeRuleSet> CodeRuleSet::FromRules(std::span<const CodeRule> rules) {
  auto state = std::make_unique<State>();
  llvm::copy_if(rules, std::back_inserter(state->rules),
                [](const CodeRule& rule) { return !rule.is_of_reader; });
  llvm::sort(state->rules, [](const CodeRule& a, const CodeRule& b) { return a.code < b.code; });
  Error errors = Error::success();
  for (const CodeRule& rule : state->rules) {
    Keep(ReadRule(rule), rule, state->conditions, errors);
    Keep(ReadAdviceFor(rule), rule, state->advice_for, errors);
    Keep(ReadFixes(rule), rule, state->fixes, errors);
  }
  if (errors) return errors;
  state->MakeIndex();
  return CodeRuleSet(std::move(state));
}

const CodeRuleSet& CodeRuleSet::Builtin() {
  static const CodeRuleSet* const builtin = [] {
    Expected<CodeRuleSet> set = FromRules(RuleSet::Builtin().code_rules());
    // A program with broken built-in rules has not passed its tests and is useless.
    if (!set) llvm::report_fatal_error(set.takeError());
    return new CodeRuleSet(std::move(*set));
  }();
  return *builtin;
}

llvm::ArrayRef<CodeRule> CodeRuleSet::rules() const { return state_->rules; }

llvm::ArrayRef<FixTemplate> CodeRuleSet::FixesOf(const CodeRule& rule) const {
  return state_->fixes[static_cast<size_t>(&rule - state_->rules.data())];
}

std::string_view CodeRuleSet::AdviceFor(const CodeRule& rule, std::string_view statement) const {
  const auto& texts = state_->advice_for[static_cast<size_t>(&rule - state_->rules.data())];
  const auto found = texts.find(llvm::StringRef(statement));
  return found == texts.end() ? rule.advice : std::string_view(found->second);
}

size_t CodeRuleSet::NumKeys(const CodeRule& rule) const {
  return state_->ConditionOf(rule).num_keys;
}

uint8_t CodeRuleSet::Certainty(const CodeRule& rule, const Fact& fact) const {
  return CertaintyOf(state_->ConditionOf(rule), fact);
}

uint16_t CodeRuleSet::Conditions(const CodeRule& rule, const Fact& fact) const {
  return ConditionsOf(state_->ConditionOf(rule), fact);
}

bool CodeRuleSet::MayMatch(FactKind kind, std::string_view name) const {
  const KindIndex& index = state_->kinds[static_cast<size_t>(kind)];
  return index.by_name.count(llvm::StringRef(name)) > 0 ||
         llvm::any_of(index.OthersFor(name), [&](uint32_t rank) {
           return State::FitsName(state_->conditions[state_->tried[rank]], name);
         });
}

bool CodeRuleSet::MayMatch(Project& project, const Fact& fact) const {
  const CodeRule* rule = state_->FirstMatch(fact, [&](const FactCondition& condition) {
    // Under other conditions, the rules after a quiet one decide.
    const bool is_quiet = state_->rules[&condition - state_->conditions.data()].is_quiet;
    const bool has_conditions =
        condition.under != 0 || condition.not_under != 0 || condition.in != 0;
    return !(is_quiet && has_conditions) && HoldsExceptConditions(condition, project, fact);
  });
  return rule != nullptr && !rule->is_quiet;
}

const CodeRule* CodeRuleSet::Match(Project& project, const Fact& fact) const {
  return state_->FirstMatch(fact, [&](const FactCondition& condition) {
    return HoldsUnder(condition, fact.conditions) &&
           HoldsExceptConditions(condition, project, fact);
  });
}

}  // namespace shapewise
