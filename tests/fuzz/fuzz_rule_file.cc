// Fuzzes the reader of rule files and of the registry. The law: an error names the file in every
// line; a rule that is taken can be explained and matched against every kind of cause; nothing
// crashes, hangs or nests without bound.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "check/code_rule_set.h"
#include "llvm/ADT/StringExtras.h"
#include "rules/rule_set.h"

namespace shapewise {
namespace {

void UseRules(const RuleSet& rules) {
  for (const RuleHead* head : rules.Heads()) {
    if (rules.FindHead(head->code) == nullptr) std::abort();
    llvm::consumeError(rules.Explain(head->code).takeError());
  }
  for (const Rule& rule : rules.rules()) {
    for (size_t kind = 0; kind < kNumCauseKinds; ++kind) {
      Cause cause;
      cause.kind = static_cast<CauseKind>(kind);
      cause.culprit = Culprit{.guard_class = GuardClass::kSize, .source = "L['x']", .dim = 1};
      rules.Match(cause);
      rules.MakeFinding(rule, cause);
    }
  }
  rules.TextWords();
  rules.Prose();
  for (const RegistryEntry& entry : rules.registry()) rules.FindBreakByType(entry.type);
  Expected<CodeRuleSet> code_rules = CodeRuleSet::FromRules(rules.code_rules());
  if (!code_rules) llvm::consumeError(code_rules.takeError());
}

}  // namespace
}  // namespace shapewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte says which file it is; the rest is the file.
  const std::string_view path = (data[0] & 3) == 0   ? "rules/registry.json"
                                : (data[0] & 3) == 1 ? "rules/code/found.md"
                                                     : "rules/guards/found.md";
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const shapewise::RuleSource source{.path = path, .text = text};
  shapewise::Expected<shapewise::RuleSet> rules =
      shapewise::RuleSet::FromFiles(std::span(&source, 1));
  if (rules) {
    shapewise::UseRules(*rules);
    return 0;
  }
  const std::string message = llvm::toString(rules.takeError());
  if (message.find(path) == std::string::npos) std::abort();
  return 0;
}
