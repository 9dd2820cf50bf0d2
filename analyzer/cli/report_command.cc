#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/record_damage.h"
#include "cli/redaction.h"
#include "cli/result_output.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "cli/unrecognised.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/pipeline/run_page.h"
#include "shapewise/report/page_writer.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

/// The command line of `shapewise report`.
struct ReportArguments {
  LintOptions lint;                 ///< paths, --select, --ignore, --steps
  std::string output;               ///< --output; empty: standard output
  std::string fail_on = "warning";  ///< a severity, or "never"
  bool expects_output = false;      ///< --expect-output
  bool exit_zero = false;           ///< findings do not change the exit status
  RedactArguments redact;           ///< --redact, --redact-key
};

constexpr const char* kReportExamples =
    "A self-contained HTML file that needs no network access. It shows the verdict,\n"
    "a timeline, all causes, sizes and buckets, the effect of other policies (predicted), the "
    "cost\n"
    "of guards (estimated), and functions that fell back to eager mode. PATH is as for lint;\n"
    "call records among the inputs (*.jsonl, analyzer/docs/call-records.md) make what-ifs and "
    "sizes\n"
    "exact.\n"
    "\n"
    "Exit status: 0 no finding at or above --fail-on, 1 at least one such finding, 2 error.\n"
    "Settings: select, ignore and fail-on of lint apply.\n"
    "\n"
    "Examples:\n"
    "  TORCH_TRACE=trace python train.py; shapewise report trace/ -o report.html\n"
    "  shapewise report trace/ profile.json.gz calls.jsonl -o report.html\n"
    "  shapewise report --exit-zero run.log > report.html";

/// Applies the settings file to options that the command line does not set.
Error ApplySettings(const CLI::App& app, ReportArguments& arguments) {
  Expected<Settings> settings = LoadSettingsHere();
  if (!settings) return settings.takeError();
  return TakeLintSettings(app, settings->lint, arguments.lint.select, arguments.lint.ignore,
                          &arguments.fail_on);
}

ExitStatus RunReportCommand(const CLI::App& app, ReportArguments& arguments) {
  if (Error error = ApplySettings(app, arguments)) return FinishResult(std::move(error));
  const std::unique_ptr<FileSource> disk = NewDiskFileSource();
  ProgressSource watched(*disk);
  FileSource& files = ErrorsAreSeen() ? static_cast<FileSource&>(watched) : *disk;
  Expected<std::unique_ptr<Redactor>> redactor = MakeRedactor(arguments.redact);
  if (!redactor) return FinishResult(redactor.takeError());
  arguments.lint.read.redactor = redactor->get();
  RunReport run;
  if (Error error = ReportOnRun(arguments.lint, files, run)) return FinishResult(std::move(error));
  const LintResult& result = run.result;
  ReportUnread(result.unread);
  if (run.session.inputs().empty() && run.records.empty() && result.unread.empty()) {
    llvm::errs() << "shapewise: error: no files to read\n";
  }
  bool is_done = result.unread.empty();
  is_done = ReportDamage(run.records, "calls, one per line: JSON objects with inputs") && is_done;
  for (const Input& input : run.session.inputs()) {
    if (input.format != kCallRecordsFormat) continue;
    llvm::errs() << "shapewise: warning: " << MakePrintable(input.name)
                 << ": skipped: call records must be in files named *.jsonl, *.ndjson or *.json\n";
  }
  // Call records alone are enough for a page.
  const EmptyInputs empty_inputs = EmptyInputsFor(arguments.expects_output, result.unread.empty());
  const bool is_recognised =
      !run.session.inputs().empty() && CheckRecognised(run.session, empty_inputs);
  if (!is_recognised && run.records.empty()) return ExitStatus::kTrouble;

  ReportOptions options;
  options.tool_version = SHAPEWISE_VERSION;
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    WritePage(result, run.session, run.page, options, out);
  });
  if (!is_done) return FinishResult(std::move(error), ExitStatus::kTrouble);
  const bool is_failure =
      !arguments.exit_zero && HasFindingAtOrAbove(result.findings, arguments.fail_on);
  return FinishResult(std::move(error), is_failure ? ExitStatus::kFindings : ExitStatus::kClean);
}

CommandRun AddReport(CLI::App& app) {
  const auto arguments = std::make_shared<ReportArguments>();
  app.add_option("PATH", arguments->lint.paths,
                 "Logs, traces, profiles, partials or call records, folders of them, or - for "
                 "standard input")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", arguments->output, "Write the page to a file")->type_name("FILE");
  app.add_flag("--steps", arguments->lint.read.step_prints,
               "Also read step times that the program prints");
  AddRuleList(app, "--select", arguments->lint.select, "Select rules by code, code prefix or name");
  AddRuleList(app, "--ignore", arguments->lint.ignore, "Ignore these rules");
  AddChoice(app, "--fail-on", arguments->fail_on, FailOnNames(),
            "Exit with 1 if there is a finding of at least this severity");
  AddRedactOptions(app, arguments->redact);
  AddExpectOutput(app, arguments->expects_output);
  app.add_flag("--exit-zero", arguments->exit_zero, "Always exit with 0");
  return [&app, arguments] { return RunReportCommand(app, *arguments); };
}

}  // namespace

const Command kReportCommand = {"report", "Write an HTML page about a run", kReportExamples,
                                AddReport};

}  // namespace shapewise
