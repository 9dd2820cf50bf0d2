#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "pattern": how the values of the culprit change.
ConditionKind PatternCondition() {
  return {.name = "pattern",
          .known_words = [] { return NamesUpTo(ValuePattern::kVarying, &ValuePatternName); },
          .fits =
              [](const Subject& subject, std::string_view word) {
                return ValuePatternName(subject.cause.pattern) == word;
              }};
}

}  // namespace shapewise
