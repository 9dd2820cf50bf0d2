// Formats manuals for a terminal.

#ifndef SHAPEWISE_RULES_EXPLAIN_H_
#define SHAPEWISE_RULES_EXPLAIN_H_

#include <string>

#include "rules/break_registry.h"
#include "rules/rule_set.h"

namespace shapewise {

/// The rule's file without its JSON block and examples, and a line with the block's facts.
std::string RuleManual(const RuleHead& rule);

/// The sections of the rule's file on why its causes are costly and what to do.
RuleProse ProseOf(const RuleHead& rule);

/// The registry's `entry` in words; `rule` covers it, or is null.
std::string BreakManual(const RegistryEntry& entry, const BreakRegistry& registry,
                        const Rule* rule);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_EXPLAIN_H_
