#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "stays_constant": a size changed but was compiled as a constant.
ConditionKind StaysConstantCondition() {
  return {.name = "stays_constant",
          .is_true = [](const Subject& subject) { return subject.cause.stays_constant; }};
}

}  // namespace shapewise
