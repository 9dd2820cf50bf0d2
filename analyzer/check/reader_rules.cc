#include "check/reader_rules.h"

#include <algorithm>

#include "llvm/Support/ErrorHandling.h"
#include "rules/rule_set.h"

namespace shapewise {

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
