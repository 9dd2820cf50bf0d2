#include "rules/conditions/builtin_conditions.h"
#include "shapewise/result/rank_divergence.h"

namespace shapewise {

/// "divergence": how ranks differ.
ConditionKind DivergenceCondition() {
  return {.name = "divergence",
          .known_words = [] { return NamesUpTo(DivergenceKind::kLogBegins, &DivergenceKindName); },
          .fits =
              [](const Subject& subject, std::string_view word) {
                return subject.cause.kind == CauseKind::kRankDivergence &&
                       subject.cause.why == word;
              }};
}

}  // namespace shapewise
