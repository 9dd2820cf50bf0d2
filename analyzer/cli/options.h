// Options shared by several subcommands, what their values may be, and where a result goes.

#ifndef SHAPEWISE_CLI_OPTIONS_H_
#define SHAPEWISE_CLI_OPTIONS_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/command_parts.h"
#include "cli/command_line.h"
#include "cli/result_output.h"
#include "redact/redactor.h"
#include "report/report.h"
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

/// Options for redaction.
struct RedactArguments {
  bool is_redacted = false;            ///< --redact
  std::string key;                     ///< --redact-key: TEXT or @FILE; empty: none
  std::unique_ptr<Redactor> redactor;  ///< set by MakeRedactor(); null: not requested
};

/// Adds the two options.
void AddRedactOptions(CommandLine& line, RedactArguments& arguments);

/// Makes the redactor if it is requested. Error: a key without --redact, or an empty or unreadable
/// one.
Error MakeRedactor(RedactArguments& arguments);

/// `error` in redacted form; without `redactor` unchanged.
Error RedactedTrouble(Error error, Redactor* redactor);

/// The error for a partial with numbered tokens.
Error PartialNeedsKey();

/// The arguments of these options.
struct ResultArguments {
  std::string format = "text";
  std::string emit;                 ///< --emit, if the command has it; empty: use `format`
  std::string output;               ///< --output; empty: standard output
  std::string fail_on = "warning";  ///< a severity, or "never"
  bool exit_zero = false;           ///< findings do not change the exit status
  bool expects_output = false;      ///< --expect-output
  std::string color = "auto";       ///< auto, always or never
  ReportOptions report;             ///< --all, and options of one command
  RedactArguments redact;           ///< --redact, --redact-key
};

/// What differs between commands.
struct ResultOptions {
  std::vector<std::string> formats = {};  ///< choices of --format; empty: there is one format
  const char* all = nullptr;              ///< help for --all; null: no such option
  const char* fail_on = nullptr;   ///< help for --fail-on; null: it finds nothing good or bad
  bool can_expect_output = false;  ///< whether --expect-output is offered
  const char* output = "Write the result to a file";
};

/// Adds the options below the heading "Output".
void AddResultOptions(CommandLine& line, const ResultOptions& options, ResultArguments& arguments);

/// Sets select and ignore, if not null, and --fail-on from [lint] of the settings file, unless the
/// command line sets them.
Error ApplyLintSettings(const CommandLine& line, std::vector<std::string>* select,
                        std::vector<std::string>* ignore, ResultArguments* arguments);

/// Writes `results` in the requested format, which is one of `formats`, to the requested place.
/// Emitted text is code: it keeps every byte, unless it is shown on a terminal.
template <typename Format, typename... Results>
Error WriteFormatted(std::span<const Format> formats, ResultArguments& arguments,
                     const Results&... results) {
  PrepareReport(arguments.output, arguments.color, arguments.report);
  const bool is_code = !arguments.emit.empty();
  const Format& format = *FindFormat(formats, is_code ? arguments.emit : arguments.format);
  const auto write = [&](llvm::raw_ostream& out) {
    format.write(results..., arguments.report, out);
  };
  return is_code ? WriteCode(arguments.output, write) : WriteResult(arguments.output, write);
}

/// kWarning if something bad `is_found` in a result without findings of its own.
inline std::optional<Severity> WarningIf(bool is_found) {
  return is_found ? std::optional<Severity>(Severity::kWarning) : std::nullopt;
}

/// Whether `worst`, the highest severity that was found, makes a command fail.
bool IsFailure(const ResultArguments& arguments, std::optional<Severity> worst);

/// The exit status of a command that wrote its result, unless that was an `error`. `is_complete`:
/// all inputs could be used.
Expected<ExitStatus> FinishResult(Error error, const ResultArguments& arguments, bool is_complete,
                                  std::optional<Severity> worst);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_OPTIONS_H_
