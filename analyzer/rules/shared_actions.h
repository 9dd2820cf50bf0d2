// Actions that several rules give, each written once in rules/actions.json.

#ifndef SHAPEWISE_RULES_SHARED_ACTIONS_H_
#define SHAPEWISE_RULES_SHARED_ACTIONS_H_

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "rules/rule_file.h"
#include "support/error.h"

namespace shapewise {

/// The lists of actions.json by name, each item an object. Errors name `path`.
Expected<nlohmann::json> ParseSharedActions(std::string_view path, std::string_view text);

/// Replaces each {"same_as": NAME, ...} in the "advice" of `block` by the actions of that list,
/// whose keys the other keys next to "same_as" replace. Errors name `file` and the nearest list.
Error ExpandSharedActions(const RuleFile& file, const nlohmann::json& shared,
                          nlohmann::json& block);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_SHARED_ACTIONS_H_
