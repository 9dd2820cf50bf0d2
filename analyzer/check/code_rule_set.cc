// There are many facts and few rules, so a fact is only compared with rules that can match: those
// that list its name, and those without names or with a '*' in a name. Both lists are in the order
// in which rules are tried, and are merged while a fact is matched.

#include "check/code_rule_set.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "check/fact_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "rules/rule_set.h"

namespace shapewise {
namespace {

constexpr size_t kNumFactKinds = static_cast<size_t>(FactKind::kAssert) + 1;

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

/// Whether `name` matches `condition`.
bool FitsName(const FactCondition& condition, std::string_view name) {
  if (condition.names.empty() && condition.globs.empty()) return true;
  return llvm::is_contained(condition.names, name) ||
         llvm::any_of(condition.globs,
                      [&](const std::string& glob) { return FitsGlob(glob, name); });
}

/// Whether a name that begins with `letter` may match; 0: the empty name.
bool MayBegin(const FactCondition& condition, char letter) {
  if (condition.names.empty() && condition.globs.empty()) return true;
  const auto begins = [&](const std::string& name) {
    return name.empty() || name.front() == letter || name.front() == '*';
  };
  return llvm::any_of(condition.names, begins) || llvm::any_of(condition.globs, begins);
}

}  // namespace

const CodeRule* CodeRuleSet::FirstMatch(
    const Fact& fact, llvm::function_ref<bool(const FactCondition&)> holds) const {
  const KindIndex& index = kinds_[static_cast<size_t>(fact.kind)];
  static const Ranks no_ranks;
  const auto named = index.by_name.find(llvm::StringRef(fact.name));
  const Ranks& by_name = named == index.by_name.end() ? no_ranks : named->second;
  const Ranks& others = index.OthersFor(fact.name);
  auto by_name_next = by_name.begin();
  auto others_next = others.begin();
  while (by_name_next != by_name.end() || others_next != others.end()) {
    const bool takes_other = by_name_next == by_name.end() ||
                             (others_next != others.end() && *others_next < *by_name_next);
    const uint32_t rule = tried_[takes_other ? *others_next++ : *by_name_next++];
    const FactCondition& condition = conditions_[rule];
    if (takes_other && !FitsName(condition, fact.name)) continue;
    if (holds(condition)) return &rules_[rule];
  }
  return nullptr;
}

void CodeRuleSet::MakeIndex() {
  kinds_.resize(kNumFactKinds);
  tried_.resize(rules_.size());
  for (uint32_t i = 0; i < rules_.size(); ++i) tried_[i] = i;
  llvm::stable_sort(tried_, [&](uint32_t a, uint32_t b) {
    if (conditions_[a].num_keys != conditions_[b].num_keys) {
      return conditions_[a].num_keys > conditions_[b].num_keys;
    }
    return rules_[a].is_quiet && !rules_[b].is_quiet;
  });
  for (uint32_t rank = 0; rank < tried_.size(); ++rank) {
    const FactCondition& condition = conditions_[tried_[rank]];
    for (size_t kind = 0; kind < kNumFactKinds; ++kind) {
      if ((condition.at & (uint32_t{1} << kind)) == 0) continue;
      KindIndex& index = kinds_[kind];
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

Expected<CodeRuleSet> CodeRuleSet::FromRules(std::span<const CodeRule> rules) {
  CodeRuleSet set;
  llvm::copy_if(rules, std::back_inserter(set.rules_),
                [](const CodeRule& rule) { return !rule.is_of_reader; });
  llvm::sort(set.rules_, [](const CodeRule& a, const CodeRule& b) { return a.code < b.code; });
  Error errors = Error::success();
  for (const CodeRule& rule : set.rules_) {
    Keep(ReadRule(rule), rule, set.conditions_, errors);
    Keep(ReadAdviceFor(rule), rule, set.advice_for_, errors);
    Keep(ReadFixes(rule), rule, set.fixes_, errors);
  }
  if (errors) return errors;
  set.MakeIndex();
  return set;
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

std::string_view CodeRuleSet::AdviceFor(const CodeRule& rule, std::string_view statement) const {
  const auto& texts = advice_for_[IndexOf(rule)];
  const auto found = texts.find(llvm::StringRef(statement));
  return found == texts.end() ? rule.advice : std::string_view(found->second);
}

bool CodeRuleSet::MayMatch(FactKind kind, std::string_view name) const {
  const KindIndex& index = kinds_[static_cast<size_t>(kind)];
  return index.by_name.count(llvm::StringRef(name)) > 0 ||
         llvm::any_of(index.OthersFor(name),
                      [&](uint32_t rank) { return FitsName(conditions_[tried_[rank]], name); });
}

bool CodeRuleSet::MayMatch(Project& project, const Fact& fact) const {
  const CodeRule* rule = FirstMatch(fact, [&](const FactCondition& condition) {
    // Under other conditions, the rules after a quiet one decide.
    const bool is_quiet = rules_[&condition - conditions_.data()].is_quiet;
    const bool has_conditions =
        condition.under != 0 || condition.not_under != 0 || condition.in != 0;
    return !(is_quiet && has_conditions) && HoldsExceptConditions(condition, project, fact);
  });
  return rule != nullptr && !rule->is_quiet;
}

const CodeRule* CodeRuleSet::Match(Project& project, const Fact& fact) const {
  return FirstMatch(fact, [&](const FactCondition& condition) {
    return HoldsUnder(condition, fact.conditions) &&
           HoldsExceptConditions(condition, project, fact);
  });
}

const CodeRule& ReaderRule(std::string_view code) {
  const std::span<const CodeRule> rules = RuleSet::Builtin().code_rules();
  const auto found = std::ranges::find(rules, code, &CodeRule::code);
  // A program without one of these rules has not passed its tests and is useless.
  if (found == rules.end() || !found->is_of_reader) {
    llvm::report_fatal_error("a rule of the reader is missing");
  }
  return *found;
}

std::string ReaderMessage(const CodeRule& rule, std::string_view found) {
  std::string message(rule.message);
  const size_t at = message.find(kFoundPlaceholder);
  return at == std::string::npos ? message : message.replace(at, kFoundPlaceholder.size(), found);
}

}  // namespace shapewise
