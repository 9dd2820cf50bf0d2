#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "limit": the function hit a recompile limit and has run eagerly since.
ConditionKind LimitCondition() {
  return {.name = "limit",
          .is_true = [](const Subject& subject) { return subject.cause.limit_hit; }};
}

}  // namespace shapewise
