#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "action": the contract's word for what happened to a CUDA graph or in TorchScript.
ConditionKind ActionCondition() {
  return {.name = "action",
          .known_words =
              [] {
                std::vector<std::string_view> words =
                    NamesUpTo(CudagraphAction::kPartition, &CudagraphActionName);
                for (const std::string_view word :
                     NamesUpTo(TorchscriptAction::kTracerWarning, &TorchscriptActionName)) {
                  words.push_back(word);
                }
                return words;
              },
          .fits = [](const Subject& subject,
                     std::string_view word) { return subject.cause.action == word; }};
}

}  // namespace shapewise
