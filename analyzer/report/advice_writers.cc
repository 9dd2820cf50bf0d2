#include "report/advice_writers.h"

#include "report/text_finding.h"
#include "shapewise/result/number_text.h"

namespace shapewise {

std::span<const AdviceFormat> AdviceFormats() {
  static constexpr auto formats = DocumentFormats<Advice, Session>::FormatsOf<DescribeAdvice>(
      AdviceFormat{"json", WriteAdviceJson});
  return formats;
}

std::span<const AdviceFormat> AdviceEmitters() {
  static constexpr AdviceFormat formats[] = {
      {"patch", WriteAdvicePatch},
      {"env", WriteAdviceEnvironment},
      {"config", WriteAdviceConfig},
      {"markdown", DocumentFormats<Advice, Session>::Write<DescribeAdvice, RenderMarkdown>}};
  return formats;
}

std::string SavingText(const std::optional<Saving>& saving) {
  if (!saving) return {};
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  uint64_t before = 0;
  for (const FunctionCompiles& function : saving->functions) before += function.before;
  if (saving->compiles > 0) {
    add(std::to_string(saving->compiles) + " of " + Counted(before, "compile"));
  }
  if (saving->seconds && *saving->seconds > 0) add(SecondsText(*saving->seconds) + " of compiling");
  if (saving->eager_functions > 0) {
    add(Counted(saving->eager_functions, "eager fallback"));
  }
  return text;
}

}  // namespace shapewise
