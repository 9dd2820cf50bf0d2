#include "rules/conditions/builtin_conditions.h"
#include "shapewise/causes/xla_trouble.h"

namespace shapewise {
namespace {

/// Reasons for slow steps; StepCauses in analyzer/timeline assigns them.
constexpr std::string_view kStepWords[] = {
    "compile",       "cudagraph", "garbage-collection", "memory-maps", "not-compared",
    "other-process", "period",    "recompile",          "steps",       "unexplained",
};

std::vector<std::string_view> KnownWords() {
  std::vector<std::string_view> words = NamesUpTo(Why::kOther, &WhyName);
  for (const std::string_view word : NamesUpTo(XlaTrouble::kReport, &XlaTroubleName)) {
    words.push_back(word);
  }
  words.insert(words.end(), std::begin(kStepWords), std::end(kStepWords));
  words.insert(words.end(), ServerWhyNames().begin(), ServerWhyNames().end());
  return words;
}

}  // namespace

/// "why": the contract's word for why a frame or a CUDA graph was skipped, or a mode ignored; for
/// PyTorch/XLA, the trouble; for slow steps and stalls, what they coincide with; for an inference
/// server, the problem.
ConditionKind WhyCondition() {
  return {.name = "why",
          .known_words = KnownWords,
          .fits = [](const Subject& subject, std::string_view word) {
            return subject.cause.why == word;
          }};
}

}  // namespace shapewise
