#include "model/resume_name.h"

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kResumePrefix = "torch_dynamo_resume_in_";

// Removes "_12" from the end of `text` and returns the number.
std::optional<uint32_t> ConsumeNumberBack(std::string_view& text) {
  const size_t underscore = text.rfind('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  std::string_view digits = text.substr(underscore + 1);
  const std::optional<uint32_t> number = ConsumeUint<uint32_t>(digits);
  if (!number || !digits.empty()) return std::nullopt;
  text = text.substr(0, underscore);
  return number;
}

}  // namespace

bool ConsumeOldResume(std::string_view& text) {
  return ConsumeFront(text, "<graph break in ") || ConsumeFront(text, "<resume in ");
}

std::optional<ResumeName> ParseResumeName(std::string_view function) {
  if (ConsumeOldResume(function)) {
    if (function.ends_with('>')) function.remove_suffix(1);
    return ResumeName{function, 0};
  }
  if (!ConsumeFront(function, kResumePrefix)) return std::nullopt;
  std::string_view rest = function;
  std::optional<uint32_t> line = ConsumeNumberBack(rest);
  // If the name alone is not unique, a running number follows: "..._at_12_3".
  if (line && !rest.ends_with("_at")) line = ConsumeNumberBack(rest);
  if (!line || !rest.ends_with("_at")) return ResumeName{function, 0};
  rest.remove_suffix(std::string_view("_at").size());
  return ResumeName{rest, *line};
}

}  // namespace shapewise
