#include "cli/commands.h"

#include <string>
#include <string_view>
#include <utility>

#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/ADT/StringRef.h"
#include "pipeline/diff.h"
#include "report/report.h"

namespace shapewise {
namespace {

/// The command line of `shapewise diff`.
struct DiffArguments : ResultArguments {
  DiffOptions diff;                     ///< OLD, NEW, --select, --ignore
  std::string max_increase = "20%,5s";  ///< --max-compile-increase
};

/// Parses "20%", "5s" or both, separated by a comma.
Error ReadIncrease(const std::string& text, CompareOptions& options) {
  std::string_view rest = text;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find(','));
    double number = 0;
    const llvm::StringRef digits(part.data(), part.empty() ? 0 : part.size() - 1);
    const bool is_percent = part.ends_with('%');
    if ((!is_percent && !part.ends_with('s')) || digits.getAsDouble(number) || !(number >= 0)) {
      return MakeError(
          "--max-compile-increase: expected a percentage, seconds or both, such as "
          "20%,5s, but got '" +
          text + "'");
    }
    (is_percent ? options.max_increase : options.max_increase_seconds) =
        is_percent ? number / 100 : number;
    if (part.size() == rest.size()) return Error::success();
    rest.remove_prefix(part.size() + 1);
  }
}

bool IsUsable(const LoadedRun& run, EmptyInputs empty_inputs) {
  return run.is_saved || CheckRecognised(run.session, empty_inputs);
}

Expected<ExitStatus> RunDiff(const CommandLine& line, DiffArguments& arguments) {
  LintOptions& lint = arguments.diff.lint;
  if (Error error = ApplyLintSettings(line, &lint.select, &lint.ignore, &arguments)) return error;
  CompareOptions& compare = arguments.diff.compare;
  compare.fail_on = FailOnSeverity(arguments.fail_on);
  if (Error error = ReadIncrease(arguments.max_increase, compare)) return error;
  if (arguments.diff.before == "-" && arguments.diff.after == "-") {
    return MakeError("only one of the two runs can be standard input");
  }

  if (Error error = MakeRedactor(arguments.redact)) return error;
  lint.read.redactor = arguments.redact.redactor.get();
  Expected<Diff> diff = DiffRuns(arguments.diff, *NewWatchedFileSource());
  if (!diff) return diff.takeError();
  const EmptyInputs empty_inputs = EmptyInputsFor(arguments.expects_output, true);
  const bool is_before_usable = IsUsable(*diff->before, empty_inputs);
  if (!IsUsable(*diff->after, empty_inputs) || !is_before_usable) return ExitStatus::kTrouble;

  const DiffEvidence evidence{diff->before->session, diff->after->session};
  Error error = WriteFormatted(DiffFormats(), arguments, diff->result, evidence);
  const bool is_failure = !arguments.exit_zero && diff->result.is_failure;
  return FinishResult(std::move(error), is_failure ? ExitStatus::kFindings : ExitStatus::kClean);
}

void AddDiff(CommandLine& line, DiffArguments& arguments) {
  line.Add("OLD", &arguments.diff.before, "", "The earlier run", {.is_required = true});
  line.Add("NEW", &arguments.diff.after, "", "The later run", {.is_required = true});
  AddRuleList(line, "--select", arguments.diff.lint.select,
              "Compare only findings of these rules, by code, code prefix or name");
  AddRuleList(line, "--ignore", arguments.diff.lint.ignore,
              "Do not compare findings of these rules");
  line.Add("--max-compile-increase", &arguments.max_increase, "PERCENT%,SECONDSs",
           "Compile time is worse if it increases by more than both values [default: " +
               arguments.max_increase + "]");
  AddResultOptions(line,
                   {.formats = FormatNames(DiffFormats()),
                    .all = "text: list all causes",
                    .fail_on = "Causes count for the exit status from this severity on",
                    .can_expect_output = true},
                   arguments);
}

}  // namespace

const Command kDiffCommand = {6, "diff",
                              "Compare two runs, and explain whether the new one is worse",
                              Prepare<DiffArguments, AddDiff, RunDiff>};

}  // namespace shapewise
