#include "rules/conditions/builtin_conditions.h"

#include <algorithm>

namespace shapewise {

std::span<const ConditionKind> BuiltinConditions() {
#define SHAPEWISE_LIST_CONDITION(name) name##Condition(),
  static const ConditionKind conditions[] = {SHAPEWISE_CONDITIONS(SHAPEWISE_LIST_CONDITION)};
#undef SHAPEWISE_LIST_CONDITION
  return conditions;
}

const ConditionKind* FindCondition(std::string_view name) {
  for (const ConditionKind& kind : BuiltinConditions()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

bool Holds(const RuleCondition& condition, const Subject& subject) {
  const ConditionKind& kind = *condition.kind;
  if (!kind.takes_list()) return kind.is_true(subject) == condition.flag;
  return std::ranges::any_of(condition.words,
                             [&](const std::string& word) { return kind.fits(subject, word); });
}

}  // namespace shapewise
