#include "cli/options.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/nearest_name.h"

namespace shapewise {
namespace {

std::optional<double> NumberIn(const std::string& text) {
  double number = 0;
  if (llvm::StringRef(text).getAsDouble(number) || std::isnan(number)) return std::nullopt;
  return number;
}

/// A number for which `holds`, or the message that `text` is not `what`.
template <typename Holds>
ValueCheck NumberThat(Holds holds, std::string what) {
  return [holds, what = std::move(what)](std::string& text) {
    const std::optional<double> number = NumberIn(text);
    if (number && holds(*number)) return std::string();
    return "'" + text + "' is not " + what;
  };
}

/// "4096" for 4096.0, "0.9" for 0.9.
std::string Written(double number) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (number == std::floor(number)) {
    out << static_cast<long long>(number);
  } else {
    out << llvm::StringRef(std::to_string(number)).rtrim('0');
  }
  return text;
}

}  // namespace

void AddRuleList(CommandLine& line, const std::string& name, std::vector<std::string>& list,
                 const std::string& description) {
  line.Add(name, &list, "RULES", description, {.list = ListForm::kCommas});
}

void AddChoice(CommandLine& line, const std::string& name, std::string& choice,
               const std::vector<std::string>& allowed, const std::string& description) {
  line.Add(name, &choice, llvm::join(allowed, "|"),
           description + (choice.empty() ? "" : " [default: " + choice + "]"),
           {.check = OneOf(allowed)});
}

void AddRepeatable(CommandLine& line, const std::string& name, std::vector<std::string>& values,
                   const std::string& type, const std::string& description) {
  line.Add(name, &values, type, description, {.list = ListForm::kRepeated});
}

const std::vector<std::string>& FailOnNames() {
  static const std::vector<std::string> names = {"note", "warning", "error", "never"};
  return names;
}

std::optional<Severity> FailOnSeverity(const std::string& fail_on) {
  for (const Severity severity : {Severity::kNote, Severity::kWarning, Severity::kError}) {
    if (SeverityName(severity) == fail_on) return severity;
  }
  return std::nullopt;
}

Error ApplyChoice(const CommandLine& line, const std::string& table, const std::string& name,
                  const std::vector<std::string>& allowed,
                  const std::optional<std::string>& setting, std::string& choice) {
  if (!setting || line.WasGiven("--" + name)) return Error::success();
  choice = *setting;
  if (llvm::is_contained(allowed, choice)) return Error::success();
  return MakeError("settings: " + table + "." + name + ": '" + choice + "' is not one of " +
                   llvm::join(allowed, ", "));
}

ValueCheck OneOf(std::vector<std::string> words) {
  return [words = std::move(words)](std::string& text) {
    if (llvm::is_contained(words, text)) return std::string();
    const std::vector<std::string_view> names(words.begin(), words.end());
    return "'" + text + "' is not one of " + llvm::join(words, ", ") + DidYouMean(text, names);
  };
}

ValueCheck Between(double least, double most) {
  return NumberThat([least, most](double number) { return number >= least && number <= most; },
                    "a number from " + Written(least) + " to " + Written(most));
}

ValueCheck Positive() {
  return NumberThat([](double number) { return number > 0 && std::isfinite(number); },
                    "a number above 0");
}

ValueCheck ZeroOrMore() {
  return NumberThat([](double number) { return number >= 0 && std::isfinite(number); },
                    "0 or a number above it");
}

}  // namespace shapewise
