#include "causes/logged_number.h"

#include <algorithm>
#include <iterator>

#include "causes/value_use.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Words in the names of functions and objects that report numbers, and compute nothing from them.
constexpr std::string_view kReportWords[] = {
    "print",  "logger",  "logging", "logs",   "wandb",  "metric", "metrics", "meter",
    "meters", "history", "writer",  "record", "report", "stats",  "tracker", "monitor"};

/// The letters and digits that `text` begins with.
std::string_view FirstWord(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && IsWordChar(text[end]) && text[end] != '_') ++end;
  return text.substr(0, end);
}

/// Whether a part of a name in `code` is one of kReportWords: "train_metrics".
bool HasReportWord(std::string_view code) {
  while (!code.empty()) {
    const std::string_view word = FirstWord(code);
    if (std::ranges::find(kReportWords, word) != std::end(kReportWords)) return true;
    code.remove_prefix(std::min(word.size() + 1, code.size()));
  }
  return false;
}

/// Whether the line adds to a list that an object keeps: "self.rows.append(".
bool AppendsToAttribute(std::string_view code) {
  const std::string_view list = code.substr(0, code.find(".append("));
  return list.size() < code.size() && HasText(list.substr(list.find_last_of(" (;:") + 1), ".");
}

/// Whether it is a function that logs, and not one of the logarithm of a probability.
bool IsLogFunction(std::string_view name) {
  const bool is_logarithm = HasText(name, "prob") || HasText(name, "lik");
  return name == "log" || (name.starts_with("log_") && !is_logarithm) || HasReportWord(name);
}

}  // namespace

bool IsDecision(std::string_view code) {
  const std::string_view word = FirstWord(code);
  return IsOneOf(word, {"if", "elif", "while"}) && !code.substr(word.size()).starts_with('_');
}

bool IsLoggedNumber(std::string_view code, std::string_view function) {
  if (code.empty() || IsDecision(code)) return false;
  const bool is_in_dict = HasText(code, "\": ") || HasText(code, "': ");
  if (IsLogFunction(function) || is_in_dict || AppendsToAttribute(code)) return true;
  // What is assigned or returned may be read from something with such a name.
  return FirstWord(code) != "return" && HasReportWord(code.substr(0, code.find(" = ")));
}

bool IsCheck(std::string_view function) {
  while (!function.empty()) {
    const std::string_view word = FirstWord(function);
    if (IsOneOf(word, {"check", "checks", "validate", "valid", "verify", "ensure", "assert"})) {
      return true;
    }
    function.remove_prefix(std::min(word.size() + 1, function.size()));
  }
  return false;
}

bool AddsToAttribute(std::string_view code) {
  const auto is_attribute = [](std::string_view name) { return HasText(name, "."); };
  if (std::ranges::any_of(IncrementedTargets(code), is_attribute)) return true;
  const std::string_view name = AssignedName(code);
  return is_attribute(name) &&
         FindWord(code, name.substr(name.rfind('.') + 1), code.find('=')) != kNotFound;
}

}  // namespace shapewise
