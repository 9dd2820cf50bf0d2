#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "library": the code that has to change is no code of the user: the line that asks for it, or
/// where that is not known the function, stands in PyTorch, Python or an installed package.
ConditionKind LibraryCondition() {
  return {.name = "library",
          .is_true = [](const Subject& subject) { return !OwnerOf(subject.cause).IsUser(); }};
}

}  // namespace shapewise
