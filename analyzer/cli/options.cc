#include "cli/options.h"

#include <CLI/CLI.hpp>
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
CLI::Validator NumberThat(Holds holds, std::string what) {
  return {[holds, what = std::move(what)](std::string& text) {
            const std::optional<double> number = NumberIn(text);
            if (number && holds(*number)) return std::string();
            return "'" + text + "' is not " + what;
          },
          ""};
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

void AddRuleList(CLI::App& app, const std::string& name, std::vector<std::string>& list,
                 const std::string& description) {
  // One value at a time: a following PATH is not part of the list.
  app.add_option(name, list, description)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("RULES");
}

void AddChoice(CLI::App& app, const std::string& name, std::string& choice,
               const std::vector<std::string>& allowed, const std::string& description) {
  app.add_option(name, choice, description + " [default: " + choice + "]")
      ->check(OneOf(allowed))
      ->type_name(llvm::join(allowed, "|"));
}

void AddRepeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                   const std::string& type, const std::string& description) {
  app.add_option(name, values, description)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddGroup(CLI::App& app, const std::string& heading, llvm::function_ref<void()> add) {
  const size_t before = app.get_options().size();
  add();
  const std::vector<CLI::Option*> all = app.get_options();
  for (size_t i = before; i < all.size(); ++i) {
    if (!all[i]->get_positional()) all[i]->group(heading);
  }
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

Error CheckSetting(const std::string& key, const std::string& value,
                   const std::vector<std::string>& allowed) {
  for (const std::string& name : allowed) {
    if (name == value) return Error::success();
  }
  return MakeError("settings: " + key + ": '" + value + "' is not one of " +
                   llvm::join(allowed, ", "));
}

CLI::Validator OneOf(std::vector<std::string> words) {
  return {[words = std::move(words)](std::string& text) {
            const std::vector<std::string_view> names(words.begin(), words.end());
            for (const std::string_view name : names) {
              if (name == text) return std::string();
            }
            return "'" + text + "' is not one of " + llvm::join(words, ", ") +
                   DidYouMean(text, names);
          },
          ""};
}

CLI::Validator Between(double least, double most) {
  return NumberThat([least, most](double number) { return number >= least && number <= most; },
                    "a number from " + Written(least) + " to " + Written(most));
}

CLI::Validator Positive() {
  return NumberThat([](double number) { return number > 0 && std::isfinite(number); },
                    "a number above 0");
}

CLI::Validator ZeroOrMore() {
  return NumberThat([](double number) { return number >= 0 && std::isfinite(number); },
                    "0 or a number above it");
}

CLI::Validator Bytes() {
  return {[](std::string& text) {
            const std::string given = text;  // which a failed conversion changes
            try {
              return CLI::AsSizeValue(/*kb_is_1000=*/false)(text);
            } catch (const CLI::ValidationError&) {
              return "'" + given + "' is not a size such as 500M or 2G";
            }
          },
          ""};
}

}  // namespace shapewise
