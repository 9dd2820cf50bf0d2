#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "costly": its cost is above the engine's threshold.
ConditionKind CostlyCondition() {
  return {.name = "costly",
          .is_true = [](const Subject& subject) { return subject.cause.is_costly; }};
}

}  // namespace shapewise
