#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "value_type": the culprit's source has one of these Python types. Never holds where the log does
/// not show the type.
ConditionKind ValueTypeCondition() {
  return {.name = "value_type",
          .known_words = [] { return NamesUpTo(PythonType::kObject, &PythonTypeName); },
          .fits =
              [](const Subject& subject, std::string_view word) {
                const std::optional<Culprit>& culprit = subject.cause.culprit;
                return culprit && PythonTypeName(culprit->value_type) == word;
              }};
}

}  // namespace shapewise
