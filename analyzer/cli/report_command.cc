#include "cli/commands.h"

#include <utility>

#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/run_page.h"
#include "report/report.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

/// The command line of `shapewise report`.
struct ReportArguments : ResultArguments {
  LintOptions lint;  ///< paths, --select, --ignore, --steps
};

Expected<ExitStatus> RunReportCommand(const CommandLine& line, ReportArguments& arguments) {
  LintOptions& lint = arguments.lint;
  if (Error error = ApplyLintSettings(line, &lint.select, &lint.ignore, &arguments)) return error;
  if (Error error = MakeRedactor(arguments.redact)) return error;
  lint.read.redactor = arguments.redact.redactor.get();
  RunReport run;
  if (Error error = ReportOnRun(lint, *NewWatchedFileSource(), run)) return error;
  const LintResult& result = run.result;
  ReportUnread(result.unread);
  bool is_done = result.unread.empty();
  is_done = ReportDamage(run.records, kExpectedCalls) && is_done;
  for (const Input& input : run.session.inputs()) {
    if (input.format != kCallRecordsFormat) continue;
    llvm::errs() << "shapewise: warning: " << MakePrintable(input.name)
                 << ": skipped: call records must be in files named *.jsonl, *.ndjson or *.json\n";
  }
  // Call records alone are enough for a page.
  const EmptyInputs empty_inputs = EmptyInputsFor(arguments.expects_output, result.unread.empty());
  const bool has_only_records = run.session.inputs().empty() && !run.records.empty();
  if (!has_only_records && !CheckRecognised(run.session, empty_inputs) && run.records.empty()) {
    return ExitStatus::kTrouble;
  }

  ReportOptions options;
  options.tool_version = SHAPEWISE_VERSION;
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    WritePage(result, run.session, run.page, options, out);
  });
  return FinishResult(std::move(error), arguments, is_done, WorstOf(result.findings));
}

void AddReport(CommandLine& line, ReportArguments& arguments) {
  line.Add("PATH", &arguments.lint.paths, "",
           "Logs, traces, profiles, partials or call records, folders of them, or - for "
           "standard input",
           {.is_required = true});
  line.AddFlag("--steps", &arguments.lint.read.step_prints,
               "Also read step times that the program prints");
  AddRuleList(line, "--select", arguments.lint.select, "Select rules by code, code prefix or name");
  AddRuleList(line, "--ignore", arguments.lint.ignore, "Ignore these rules");
  AddResultOptions(line,
                   {.fail_on = "Exit with 1 if there is a finding of at least this severity",
                    .can_expect_output = true,
                    .output = "Write the page to a file"},
                   arguments);
}

}  // namespace

const Command kReportCommand = {7, "report", "Write an HTML page about a run",
                                Prepare<ReportArguments, AddReport, RunReportCommand>};

}  // namespace shapewise
