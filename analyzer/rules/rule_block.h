// The JSON block of a rule.

#ifndef SHAPEWISE_RULES_RULE_BLOCK_H_
#define SHAPEWISE_RULES_RULE_BLOCK_H_

#include <string_view>

#include "rules/rule_file.h"
#include "shapewise/rules/rule_set.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Whether the rule of `file` is one over code, for ParseCodeRuleBlock.
bool SpeaksOfCode(const RuleFile& file);

/// The rule over logs of `file`, but for its markdown. Errors name the file, the line of the block,
/// the key and, for a misspelt one, the nearest that is known: unknown keys, words and
/// placeholders, wrong types, missing keys, a code that is not the heading's.
Expected<Rule> ParseRuleBlock(const RuleFile& file);

/// Whether `range` is a range of releases: ">=2.1", ">=2.2 <2.8".
bool IsTorchRange(std::string_view range);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_BLOCK_H_
