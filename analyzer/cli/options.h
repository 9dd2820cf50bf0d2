// Options shared by several subcommands, and what their values may be.

#ifndef SHAPEWISE_CLI_OPTIONS_H_
#define SHAPEWISE_CLI_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "result/finding.h"
#include "support/error.h"

namespace shapewise {

/// Adds an option with a list of rules, separated by commas or repeated.
void AddRuleList(CommandLine& line, const std::string& name, std::vector<std::string>& list,
                 const std::string& description);

/// Adds an option with a choice of words; its variable contains the default.
void AddChoice(CommandLine& line, const std::string& name, std::string& choice,
               const std::vector<std::string>& allowed, const std::string& description);

/// The choices of --format: the names of `formats`.
template <typename Formats>
std::vector<std::string> FormatNames(const Formats& formats) {
  std::vector<std::string> names;
  for (const auto& format : formats) names.emplace_back(format.name);
  return names;
}

/// Adds an option that may be repeated, with one value each.
void AddRepeatable(CommandLine& line, const std::string& name, std::vector<std::string>& values,
                   const std::string& type, const std::string& description);

/// The choices of --fail-on: the severities, and "never".
const std::vector<std::string>& FailOnNames();

/// The severity called `fail_on`; absent for "never".
std::optional<Severity> FailOnSeverity(const std::string& fail_on);

/// Sets `value` to the `setting` of a settings file, if there is one and `option` was not given.
template <typename Value>
void ApplySetting(const CommandLine& line, const char* option, const std::optional<Value>& setting,
                  Value& value) {
  if (setting && !line.WasGiven(option)) value = *setting;
}

/// The same for the option "--<name>", a choice. Error: the setting is not in `allowed`. `table`:
/// of the file, such as "lint".
Error ApplyChoice(const CommandLine& line, const std::string& table, const std::string& name,
                  const std::vector<std::string>& allowed,
                  const std::optional<std::string>& setting, std::string& choice);

/// One of `words`.
ValueCheck OneOf(std::vector<std::string> words);

/// A number from `least` to `most`.
ValueCheck Between(double least, double most);

/// A number above zero.
ValueCheck Positive();

/// Zero or a number above it.
ValueCheck ZeroOrMore();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_OPTIONS_H_
