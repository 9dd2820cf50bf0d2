#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "costly": it costs more than its engine forgives.
ConditionKind CostlyCondition() {
  return {.name = "costly",
          .is_true = [](const Subject& subject) { return subject.cause.is_costly; }};
}

}  // namespace shapewise
