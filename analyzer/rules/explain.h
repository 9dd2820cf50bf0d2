// Manuals as text for a terminal.

#ifndef SHAPEWISE_RULES_EXPLAIN_H_
#define SHAPEWISE_RULES_EXPLAIN_H_

#include <string>

#include "rules/break_registry.h"
#include "shapewise/rules/rule_set.h"

namespace shapewise {

/// The rule's file without its JSON block and examples, with a line that says what the block says.
std::string RuleManual(const RuleHead& rule);

/// The sections of the rule's file that say why its causes cost and what to do.
RuleProse ProseOf(const RuleHead& rule);

/// What the registry says of `entry`, in words; `rule` is the one that covers it, or null.
std::string BreakManual(const RegistryEntry& entry, const BreakRegistry& registry,
                        const Rule* rule);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_EXPLAIN_H_
