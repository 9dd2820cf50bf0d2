#include "rules/conditions/builtin_conditions.h"

#include <algorithm>

namespace shapewise {

std::span<const ConditionKind> BuiltinConditions() {
#define SHAPEWISE_LIST_CONDITION(name) name##Condition(),
  static const ConditionKind conditions[] = {SHAPEWISE_CONDITIONS(SHAPEWISE_LIST_CONDITION)};
#undef SHAPEWISE_LIST_CONDITION
  return conditions;
}

std::string_view ConditionName(const RuleCondition& condition) {
  return BuiltinConditions()[condition.kind].name;
}

bool Holds(const RuleCondition& condition, const Subject& subject) {
  const ConditionKind& kind = BuiltinConditions()[condition.kind];
  if (!kind.takes_list()) return kind.is_true(subject) == condition.flag;
  return std::ranges::any_of(condition.words,
                             [&](std::string_view word) { return kind.fits(subject, word); });
}

}  // namespace shapewise
