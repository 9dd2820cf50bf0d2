#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "library": the code to change is not the user's: the line that triggers the cause or, if
/// unknown, the function is in PyTorch, Python or an installed package.
ConditionKind LibraryCondition() {
  return {.name = "library",
          .is_true = [](const Subject& subject) { return !OwnerOf(subject.cause).IsUser(); }};
}

}  // namespace shapewise
