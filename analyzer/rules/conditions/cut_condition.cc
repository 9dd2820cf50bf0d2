#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "cut": a record of the cause is truncated.
ConditionKind CutCondition() {
  return {.name = "cut", .is_true = [](const Subject& subject) { return subject.cause.is_cut; }};
}

}  // namespace shapewise
