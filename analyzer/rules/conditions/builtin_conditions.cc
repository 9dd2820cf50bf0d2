#include "rules/conditions/builtin_conditions.h"

#include <algorithm>

namespace shapewise {

// Each is defined in conditions/<name>_condition.cc; the *_has conditions share one file.
ConditionKind ClassCondition();
ConditionKind PatternCondition();
ConditionKind LimitCondition();
ConditionKind RepeatedCondition();
ConditionKind HintCondition();
ConditionKind GbCondition();
ConditionKind CategoryCondition();
ConditionKind TypeHasCondition();
ConditionKind ContextHasCondition();
ConditionKind MessageHasCondition();
ConditionKind WhyCondition();
ConditionKind ActionCondition();
ConditionKind FatalCondition();
ConditionKind SourceHasCondition();
ConditionKind FileHasCondition();
ConditionKind StatCondition();

std::span<const ConditionKind> BuiltinConditions() {
  static const ConditionKind kConditions[] = {
      ClassCondition(),      PatternCondition(),    LimitCondition(),    RepeatedCondition(),
      HintCondition(),       GbCondition(),         CategoryCondition(), TypeHasCondition(),
      ContextHasCondition(), MessageHasCondition(), WhyCondition(),      ActionCondition(),
      FatalCondition(),      SourceHasCondition(),  FileHasCondition(),  StatCondition(),
  };
  return kConditions;
}

const ConditionKind* FindCondition(std::string_view name) {
  for (const ConditionKind& kind : BuiltinConditions()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

bool Holds(const RuleCondition& condition, const Subject& subject) {
  const ConditionKind& kind = *condition.kind;
  if (!kind.takes_list()) return kind.is_true(subject) == condition.flag;
  return std::ranges::any_of(condition.words,
                             [&](const std::string& word) { return kind.fits(subject, word); });
}

}  // namespace shapewise
