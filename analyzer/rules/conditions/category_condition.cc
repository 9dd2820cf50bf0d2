#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "category": the registry's category of the break, by its id or, if the log prints none, by its
/// type. Never holds for a break that the registry does not contain. The words are those of
/// registry.json, which RuleSet::FromFiles compares.
ConditionKind CategoryCondition() {
  return {.name = "category", .fits = [](const Subject& subject, std::string_view word) {
            return subject.entry != nullptr && subject.entry->category == word;
          }};
}

}  // namespace shapewise
