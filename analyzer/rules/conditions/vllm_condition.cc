#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "vllm": vLLM compiles the model that violates the constraint.
ConditionKind VllmCondition() {
  return {.name = "vllm", .is_true = [](const Subject& subject) { return subject.cause.in_vllm; }};
}

}  // namespace shapewise
