#include "rules/conditions/builtin_conditions.h"
#include "shapewise/causes/xla_trouble.h"

namespace shapewise {

/// "why": the contract's word for why a frame or a CUDA graph was skipped, or a mode ignored; of
/// PyTorch/XLA what the trouble is.
ConditionKind WhyCondition() {
  return {
      .name = "why",
      .known_words =
          [] {
            std::vector<std::string_view> words = NamesUpTo(Why::kOther, &WhyName);
            for (const std::string_view word : NamesUpTo(XlaTrouble::kReport, &XlaTroubleName)) {
              words.push_back(word);
            }
            return words;
          },
      .fits = [](const Subject& subject,
                 std::string_view word) { return subject.cause.why == word; }};
}

}  // namespace shapewise
