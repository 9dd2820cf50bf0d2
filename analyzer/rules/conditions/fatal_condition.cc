#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "fatal": the break ended the program, as with fullgraph=True.
ConditionKind FatalCondition() {
  return {.name = "fatal", .is_true = [](const Subject& subject) { return subject.cause.fatal; }};
}

}  // namespace shapewise
