#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "why": the contract's word for why a frame or a CUDA graph was skipped, or a mode ignored.
ConditionKind WhyCondition() {
  return {.name = "why",
          .known_words = [] { return NamesUpTo(Why::kOther, &WhyName); },
          .fits = [](const Subject& subject,
                     std::string_view word) { return subject.cause.why == word; }};
}

}  // namespace shapewise
