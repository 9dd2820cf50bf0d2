#include "causes/display_name.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kResumePrefix = "torch_dynamo_resume_in_";
constexpr std::string_view kOldResumePrefix = "<graph break in ";

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

bool IsWrapper(std::string_view function, std::string_view file) {
  if (!IsOneOf(function, {"inner", "wrapper", "forward", "<lambda>", "_fn", "__call__",
                          "_call_impl", "_wrapped_call_impl"})) {
    return false;
  }
  return IsLibraryFile(file);
}

bool StandsForUser(std::string_view function, std::string_view file, const Place& user) {
  return !user.function.empty() && !user.file.empty() && OwnerOf(user.file).IsUser() &&
         IsWrapper(function, file);
}

std::optional<ResumeName> ParseResumeName(std::string_view function) {
  if (ConsumeFront(function, kOldResumePrefix)) {
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

std::string DisplayFunction(const Place& where, const Place& user) {
  std::string_view function = where.function;
  const std::optional<ResumeName> resume = ParseResumeName(function);
  if (resume) function = resume->function;

  std::string name(StandsForUser(function, where.file, user) ? user.function : function);
  if (!resume) return name;
  if (resume->line == 0) return name + " (after a break)";
  return name + " (after the break at line " + std::to_string(resume->line) + ")";
}

}  // namespace shapewise
