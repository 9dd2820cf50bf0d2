#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "hint": what the log proposes ("mark_unbacked"), or the slug of a performance hint ("tf32").
ConditionKind HintCondition() {
  return {.name = "hint", .fits = [](const Subject& subject, std::string_view word) {
            return subject.cause.hint == word;
          }};
}

}  // namespace shapewise
