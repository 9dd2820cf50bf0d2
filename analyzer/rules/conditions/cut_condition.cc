#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "cut": some record of the cause stops before it is complete.
ConditionKind CutCondition() {
  return {.name = "cut", .is_true = [](const Subject& subject) { return subject.cause.is_cut; }};
}

}  // namespace shapewise
