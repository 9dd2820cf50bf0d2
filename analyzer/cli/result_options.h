// The options of commands that report something: where the result goes, in which format, and what
// it means for the exit status.

#ifndef SHAPEWISE_CLI_RESULT_OPTIONS_H_
#define SHAPEWISE_CLI_RESULT_OPTIONS_H_

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

#endif  // SHAPEWISE_CLI_RESULT_OPTIONS_H_
