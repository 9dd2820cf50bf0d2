#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "use": how the line of user code uses the value.
ConditionKind UseCondition() {
  return {.name = "use",
          .known_words = [] { return NamesUpTo(ValueUse::kRange, &ValueUseName); },
          .fits = [](const Subject& subject,
                     std::string_view word) { return ValueUseName(subject.cause.use) == word; }};
}

}  // namespace shapewise
