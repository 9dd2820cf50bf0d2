#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "class": the guard class of the culprit. Never holds without a culprit.
ConditionKind ClassCondition() {
  return {.name = "class",
          .known_words = [] { return NamesUpTo(GuardClass::kOther, &GuardClassName); },
          .fits =
              [](const Subject& subject, std::string_view word) {
                const std::optional<Culprit>& culprit = subject.cause.culprit;
                return culprit && GuardClassName(culprit->guard_class) == word;
              }};
}

}  // namespace shapewise
