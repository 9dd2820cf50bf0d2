#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/redaction.h"
#include "cli/replay_programs.h"
#include "cli/result_output.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "cli/unrecognised.h"
#include "cli/value_checks.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/pipeline/advise.h"
#include "shapewise/pipeline/replay.h"
#include "shapewise/report/advice_writer.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

/// The command line of `shapewise advise`.
struct AdviseArguments {
  AdviseOptions advise;      ///< LOG, --select, --ignore
  bool is_replayed = false;  ///< --replay
  ReplayOptions replay;
  ReplayProgramOptions programs;
  std::string format = "text";      ///< one of AdviceFormats()
  std::string emit;                 ///< --emit; empty: a report
  std::string output;               ///< --output; empty: standard output
  std::string fail_on = "warning";  ///< a severity, or "never"
  bool expects_output = false;      ///< --expect-output
  bool exit_zero = false;           ///< advice does not change the exit status
  std::string color = "auto";       ///< auto, always or never
  ReportOptions report;             ///< --all
  RedactArguments redact;           ///< --redact, --redact-key
};

constexpr const char* kAdviseExamples =
    "LOG is a log of TORCH_LOGS=recompiles (graph_breaks, dynamic and guards add details), a\n"
    "structured trace (TORCH_TRACE), a folder of them, or - for standard input.\n"
    "\n"
    "Nothing is run: savings are predicted. With --replay, every action that needs no change of "
    "the\n"
    "code is run, alone and with the rest of the plan, like `shapewise replay`; actions that do "
    "not\n"
    "pay off are withdrawn. With --calls, savings cover every recorded call.\n"
    "\n"
    "Exit status: 0 no advice on findings at or above --fail-on, 1 some advice, 2 error. "
    "Settings:\n"
    "select, ignore and fail-on of lint apply.\n"
    "\n"
    "Examples:\n"
    "  TORCH_LOGS=recompiles,dynamic python train.py 2>run.log; shapewise advise run.log\n"
    "  shapewise advise --emit patch --source-root . run.log | git apply\n"
    "  eval \"$(shapewise advise --emit env run.log)\"\n"
    "  shapewise advise --emit markdown -o comment.md trace/\n"
    "  shapewise advise --replay --callable train.py:step --calls calls.jsonl trace/";

/// Applies the settings file to options that the command line does not set.
Error ApplySettings(const CLI::App& app, AdviseArguments& arguments) {
  Expected<Settings> settings = LoadSettingsHere();
  if (!settings) return settings.takeError();
  return TakeLintSettings(app, settings->lint, arguments.advise.select, arguments.advise.ignore,
                          &arguments.fail_on);
}

/// Creates the advice, and replays it if requested. `run` keeps the session for further messages.
Error MakeAdvice(AdviseArguments& arguments, FileSource& files, ReplayRun& run) {
  if (!arguments.is_replayed) {
    Expected<Advice> advice = AdviseOnRun(arguments.advise, files, run.session);
    if (!advice) return advice.takeError();
    run.advice = std::move(*advice);
    return Error::success();
  }
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::Make(arguments.programs.keep);
  if (!folder) return folder.takeError();
  ReplayOptions& replay = arguments.replay;
  PlaceIn(**folder, replay);
  replay.program_of = GraphProgramOf;
  replay.paths = arguments.advise.paths;
  replay.advise = arguments.advise;
  replay.advise.patch = false;
  if (Error error = PrepareReplay(replay, files, run)) return error;
  if (!run.advice) return MakeError("--replay requires logs or traces, not a plan");
  if (Error error = RunPolicies(arguments.programs, replay, **folder, run)) return error;
  ValidateAdvice(run.report, *run.advice);
  PatchPlan(arguments.advise, files, *run.advice);
  for (const std::string& gap : run.report.gaps) run.advice->gaps.push_back(gap);
  return Error::success();
}

/// Whether the action is kept: it was not run, or it paid off.
bool Stands(const RankedAction& ranked) { return !ranked.measured || ranked.measured->is_kept; }

ExitStatus RunAdvise(const CLI::App& app, AdviseArguments& arguments) {
  if (Error error = ApplySettings(app, arguments)) return FinishResult(std::move(error));
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  ProgressSource watched(*files);
  FileSource& source = ErrorsAreSeen() ? static_cast<FileSource&>(watched) : *files;
  arguments.advise.patch = arguments.emit == "patch";
  arguments.advise.calls = arguments.replay.calls;
  Expected<std::unique_ptr<Redactor>> redactor = MakeRedactor(arguments.redact);
  if (!redactor) return FinishResult(redactor.takeError());
  if (*redactor && (arguments.advise.patch || arguments.is_replayed)) {
    return FinishResult(MakeError(
        "--redact cannot be combined with --emit patch or --replay, which need the original code"));
  }
  arguments.advise.redactor = redactor->get();
  ReplayRun run;
  if (Error error = MakeAdvice(arguments, source, run)) return FinishResult(std::move(error));
  const std::optional<Advice>& advice = run.advice;
  const Session& session = run.session;
  ReportUnread(advice->unread);
  if (!CheckRecognised(session, EmptyInputsFor(arguments.expects_output, advice->unread.empty()))) {
    return ExitStatus::kTrouble;
  }

  PrepareReport(arguments.output, arguments.color, arguments.report);
  const AdviceFormat& format =
      *(arguments.emit.empty() ? FindFormat(AdviceFormats(), arguments.format)
                               : FindFormat(AdviceEmitters(), arguments.emit));
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    std::string text;
    llvm::raw_string_ostream lines(text);
    format.write(*advice, session, arguments.report, lines);
    // A patch keeps every byte of the code, unless it is shown on a terminal.
    const bool is_shown = arguments.advise.patch && ResultIsSeen(GoesToFile(arguments.output));
    out << (is_shown ? MakeLinesPrintable(text) : text);
  });
  if (!advice->unread.empty()) return FinishResult(std::move(error), ExitStatus::kTrouble);
  const std::optional<Severity> fail_on = FailOnSeverity(arguments.fail_on);
  const bool is_failure = !arguments.exit_zero && fail_on &&
                          std::ranges::any_of(advice->actions, [&](const RankedAction& ranked) {
                            return ranked.severity >= *fail_on && Stands(ranked);
                          });
  return FinishResult(std::move(error), is_failure ? ExitStatus::kFindings : ExitStatus::kClean);
}

CommandRun AddAdvise(CLI::App& app) {
  const auto arguments = std::make_shared<AdviseArguments>();
  app.add_option("LOG", arguments->advise.paths, "Logs, traces, or folders of them")
      ->required()
      ->type_name("");
  AddChoice(app, "--format", arguments->format, FormatNames(AdviceFormats()), "Form of the result");
  app.add_option("--emit", arguments->emit, "Write the plan as text to paste instead")
      ->check(OneOf(FormatNames(AdviceEmitters())))
      ->type_name("patch|env|config|markdown");
  app.add_option("--source-root", arguments->advise.source_root,
                 "patch: folder with the source files that the log names")
      ->type_name("DIR");
  app.add_flag("--replay", arguments->is_replayed,
               "Run the actions, and withdraw those that do not pay off");
  AddReplayOptions(app, arguments->replay, arguments->programs);
  app.add_flag("--all", arguments->report.all, "text: list all actions");
  app.add_option("-o,--output", arguments->output, "Write the result to a file")->type_name("FILE");
  AddRuleList(app, "--select", arguments->advise.select,
              "Address only findings of these rules, by code, code prefix or name");
  AddRuleList(app, "--ignore", arguments->advise.ignore, "Do not address findings of these rules");
  AddChoice(app, "--fail-on", arguments->fail_on, FailOnNames(),
            "Exit with 1 if there is advice on a finding of at least this severity");
  AddRedactOptions(app, arguments->redact);
  AddExpectOutput(app, arguments->expects_output);
  app.add_flag("--exit-zero", arguments->exit_zero, "Always exit with 0");
  AddChoice(app, "--color", arguments->color, {"auto", "always", "never"}, "When to use color");
  return [&app, arguments] { return RunAdvise(app, *arguments); };
}

}  // namespace

const Command kAdviseCommand = {"advise", "Rank actions for a run by what they would save",
                                kAdviseExamples, AddAdvise};

}  // namespace shapewise
