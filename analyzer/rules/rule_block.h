// Parses the JSON block of a rule.

#ifndef SHAPEWISE_RULES_RULE_BLOCK_H_
#define SHAPEWISE_RULES_RULE_BLOCK_H_

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "rules/code_rule.h"
#include "rules/rule_file.h"
#include "rules/rule_set.h"
#include "rules/rule_storage.h"
#include "support/error.h"

namespace shapewise {

/// The content of the block of `file`; discarded if it is not JSON.
nlohmann::json RuleBlockOf(const RuleFile& file);

/// Whether `block` is a rule over code, for ParseCodeRuleBlock.
bool MentionsCode(const nlohmann::json& block);

/// The rule over logs in `block` of `file`, without its markdown: views into the three. Errors name
/// the file, the line of the block, the key and, for a misspelled one, the nearest: unknown keys,
/// words and placeholders, wrong types, missing keys, a code that differs from the heading.
Expected<Rule> ParseRuleBlock(const RuleFile& file, const nlohmann::json& block,
                              RuleStorage& storage);

/// The remedies of libraries.json, in file order. Errors name the file and the library.
Expected<std::span<const LibraryRemedy>> ParseLibraries(std::string_view path,
                                                        std::string_view text,
                                                        RuleStorage& storage);

/// Whether `range` is a valid range of releases: ">=2.1", ">=2.2 <2.8".
bool IsTorchRange(std::string_view range);

/// The rule over code in `block` of `file`, without its markdown. Errors are those of
/// ParseRuleBlock; the module check validates "where" and "fix".
Expected<CodeRule> ParseCodeRuleBlock(const RuleFile& file, const nlohmann::json& block,
                                      RuleStorage& storage);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_BLOCK_H_
