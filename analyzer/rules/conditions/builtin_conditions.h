// The conditions that there are.

#ifndef SHAPEWISE_RULES_CONDITIONS_BUILTIN_CONDITIONS_H_
#define SHAPEWISE_RULES_CONDITIONS_BUILTIN_CONDITIONS_H_

#include <span>
#include <string_view>

#include "rules/conditions/condition.h"

namespace shapewise {

/// All conditions, in the order of analyzer/docs/adding-a-rule.md.
std::span<const ConditionKind> BuiltinConditions();

/// The condition with this key; null if there is none.
const ConditionKind* FindCondition(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_CONDITIONS_BUILTIN_CONDITIONS_H_
