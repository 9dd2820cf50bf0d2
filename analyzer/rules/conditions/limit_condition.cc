#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "limit": the function hit a recompile limit and runs eager since.
ConditionKind LimitCondition() {
  return {.name = "limit",
          .is_true = [](const Subject& subject) { return subject.cause.limit_hit; }};
}

}  // namespace shapewise
