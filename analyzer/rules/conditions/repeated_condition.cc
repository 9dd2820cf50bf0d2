#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "repeated": it occurred more than once.
ConditionKind RepeatedCondition() {
  return {.name = "repeated",
          .is_true = [](const Subject& subject) { return subject.cause.count > 1; }};
}

}  // namespace shapewise
