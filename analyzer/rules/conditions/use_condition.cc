#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "use": what the line of user code does with the value is one of them.
ConditionKind UseCondition() {
  return {.name = "use",
          .known_words = [] { return NamesUpTo(ValueUse::kRange, &ValueUseName); },
          .fits = [](const Subject& subject,
                     std::string_view word) { return ValueUseName(subject.cause.use) == word; }};
}

}  // namespace shapewise
