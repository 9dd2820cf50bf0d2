#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "repeated": it struck more than once.
ConditionKind RepeatedCondition() {
  return {.name = "repeated",
          .is_true = [](const Subject& subject) { return subject.cause.count > 1; }};
}

}  // namespace shapewise
