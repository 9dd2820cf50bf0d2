// The JSON block of a rule.

#ifndef SHAPEWISE_RULES_RULE_BLOCK_H_
#define SHAPEWISE_RULES_RULE_BLOCK_H_

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "rules/rule_file.h"
#include "shapewise/rules/rule_set.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// What the block of `file` holds; discarded where that is no JSON.
nlohmann::json RuleBlockOf(const RuleFile& file);

/// Whether the rule of `block` is one over code, for ParseCodeRuleBlock.
bool SpeaksOfCode(const nlohmann::json& block);

/// The rule over logs of `file` and its `block`, but for its markdown. Errors name the file, the
/// line of the block, the key and, for a misspelt one, the nearest that is known: unknown keys,
/// words and placeholders, wrong types, missing keys, a code that is not the heading's.
Expected<Rule> ParseRuleBlock(const RuleFile& file, const nlohmann::json& block);

/// The remedies of libraries.json, in the order of the file. Errors name the file and the library.
Expected<std::vector<LibraryRemedy>> ParseLibraries(std::string_view path, std::string_view text);

/// Whether `range` is a range of releases: ">=2.1", ">=2.2 <2.8".
bool IsTorchRange(std::string_view range);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_BLOCK_H_
