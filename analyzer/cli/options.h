// Options that several subcommands have.

#ifndef SHAPEWISE_CLI_OPTIONS_H_
#define SHAPEWISE_CLI_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/settings.h"
#include "llvm/ADT/ArrayRef.h"
#include "shapewise/result/diagnostic.h"
#include "shapewise/result/finding.h"
#include "shapewise/support/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// Adds an option that takes a list of rules, with commas or repeated.
void AddRuleList(CLI::App& app, const std::string& name, std::vector<std::string>& list,
                 const std::string& description);

/// Adds an option that takes one of a few words; its variable holds the default.
void AddChoice(CLI::App& app, const std::string& name, std::string& choice,
               const std::vector<std::string>& allowed, const std::string& description);

/// The words of --format: the names of `writers`.
template <typename Writers>
std::vector<std::string> WriterNames(const Writers& writers) {
  std::vector<std::string> names;
  for (const auto* writer : writers) names.emplace_back(writer->name());
  return names;
}

/// Adds an option that may be given several times, one value each.
void AddRepeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                   const std::string& type, const std::string& description);

/// Adds --expect-output: inputs without any torch.compile output are an error.
void AddExpectOutput(CLI::App& app, bool& expects_output);

/// The words of --fail-on: the severities, and "never".
const std::vector<std::string>& FailOnNames();

/// The severity called `fail_on`; absent for "never".
std::optional<Severity> FailOnSeverity(const std::string& fail_on);

/// Whether one of `findings` is of the severity called `fail_on`, or graver.
bool HasFindingAtOrAbove(llvm::ArrayRef<Finding> findings, const std::string& fail_on);

/// Takes over from [lint] of the settings file what the command line leaves open of --select,
/// --ignore and, where it is not null, --fail-on.
Error TakeLintSettings(const CLI::App& app, const CommandSettings& settings,
                       std::vector<std::string>& select, std::vector<std::string>& ignore,
                       std::string* fail_on);

/// Error: `value`, which a settings file gives for `key`, is none of `allowed`.
Error CheckSetting(const std::string& key, const std::string& value,
                   const std::vector<std::string>& allowed);

/// What is known of all rules, for forms that tell it.
std::vector<DiagnosticRule> DiagnosticRules();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_OPTIONS_H_
