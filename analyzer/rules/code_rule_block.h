// Parses the JSON block of a rule over code.

#ifndef SHAPEWISE_RULES_CODE_RULE_BLOCK_H_
#define SHAPEWISE_RULES_CODE_RULE_BLOCK_H_

#include <nlohmann/json_fwd.hpp>

#include "rules/code_rule.h"
#include "rules/rule_file.h"
#include "rules/rule_storage.h"
#include "support/error.h"

namespace shapewise {

/// The rule over code in `block` of `file`, without its markdown. Errors are those of
/// ParseRuleBlock; the module check validates "where" and "fix".
Expected<CodeRule> ParseCodeRuleBlock(const RuleFile& file, const nlohmann::json& block,
                                      RuleStorage& storage);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_CODE_RULE_BLOCK_H_
