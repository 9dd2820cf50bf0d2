#include "pipeline/rule_selection.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "support/nearest_name.h"

namespace shapewise {
namespace {

/// How specific `selector` is for the rule; 0: it does not match. A name is as specific as a full
/// code.
size_t Fit(llvm::StringRef selector, llvm::StringRef code, llvm::StringRef name) {
  if (selector.empty()) return 0;
  if (selector.equals_insensitive(name)) return code.size();
  return code.take_front(selector.size()).equals_insensitive(selector) ? selector.size() : 0;
}

size_t BestFit(const std::vector<std::string>& selectors, llvm::StringRef code,
               llvm::StringRef name) {
  size_t best = 0;
  for (const std::string& selector : selectors) best = std::max(best, Fit(selector, code, name));
  return best;
}

using RuleHeads = std::vector<const RuleHead*>;

bool FitsAny(const std::string& selector, const RuleHeads& rules) {
  return llvm::any_of(
      rules, [&](const RuleHead* rule) { return Fit(selector, rule->code, rule->name) > 0; });
}

/// `others`: what rules that are not among them are about.
Error CheckSelectors(const RuleHeads& rules, const RuleHeads& other_rules, llvm::StringRef others,
                     const std::vector<std::string>& selectors, llvm::StringRef option) {
  for (const std::string& selector : selectors) {
    if (FitsAny(selector, rules)) continue;
    if (FitsAny(selector, other_rules)) {
      return MakeError(option.str() + ": '" + selector + "' names rules for " + others.str());
    }
    std::vector<std::string_view> words;
    for (const RuleHead* rule : rules) {
      words.push_back(rule->code);
      words.push_back(rule->name);
    }
    std::string help = DidYouMean(selector, words);
    if (help.empty()) help = "; `shapewise rules` lists them";
    std::string message = option.str();
    message += ": no rule has the code or name '";
    message += selector;
    message += "'";
    message += help;
    return MakeError(message);
  }
  return Error::success();
}

template <typename Rules>
std::vector<const RuleHead*> HeadsOf(const Rules& rules) {
  std::vector<const RuleHead*> heads;
  for (const RuleHead& rule : rules) heads.push_back(&rule);
  return heads;
}

}  // namespace

Expected<RuleSelection> RuleSelection::Make(const RuleSet& rules,
                                            const std::vector<std::string>& select,
                                            const std::vector<std::string>& ignore) {
  return MakeAmong(HeadsOf(rules.rules()), HeadsOf(rules.code_rules()),
                   "source code (shapewise check), not for runs", select, ignore);
}

Expected<RuleSelection> RuleSelection::MakeForCode(const RuleSet& rules,
                                                   const std::vector<std::string>& select,
                                                   const std::vector<std::string>& ignore) {
  return MakeAmong(HeadsOf(rules.code_rules()), HeadsOf(rules.rules()),
                   "runs (shapewise lint), not for source code", select, ignore);
}

Expected<RuleSelection> RuleSelection::MakeAmong(const RuleHeads& rules,
                                                 const RuleHeads& other_rules,
                                                 std::string_view others,
                                                 const std::vector<std::string>& select,
                                                 const std::vector<std::string>& ignore) {
  const llvm::StringRef other_topic(others.data(), others.size());
  if (Error error = CheckSelectors(rules, other_rules, other_topic, select, "select")) return error;
  if (Error error = CheckSelectors(rules, other_rules, other_topic, ignore, "ignore")) return error;
  RuleSelection selection;
  selection.select_ = select;
  selection.ignore_ = ignore;
  return selection;
}

bool RuleSelection::Has(std::string_view code, std::string_view name) const {
  const size_t ignored = BestFit(ignore_, code, name);
  const size_t selected = BestFit(select_, code, name);
  if (selected == 0 && !select_.empty()) return false;
  return ignored == 0 || selected > ignored;
}

}  // namespace shapewise
