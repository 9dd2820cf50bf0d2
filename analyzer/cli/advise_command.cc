#include "cli/commands.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/options.h"
#include "cli/replay_programs.h"
#include "cli/result_output.h"
#include "pipeline/advise.h"
#include "pipeline/replay.h"
#include "report/report.h"

namespace shapewise {
namespace {

/// The command line of `shapewise advise`.
struct AdviseArguments : ResultArguments {
  AdviseOptions advise;      ///< LOG, --select, --ignore
  bool is_replayed = false;  ///< --replay
  ReplayOptions replay;
  ReplayProgramOptions programs;
};

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

Expected<ExitStatus> RunAdvise(const CommandLine& line, AdviseArguments& arguments) {
  if (Error error =
          ApplyLintSettings(line, &arguments.advise.select, &arguments.advise.ignore, &arguments)) {
    return error;
  }
  const std::unique_ptr<FileSource> source = NewWatchedFileSource();
  arguments.advise.patch = arguments.emit == "patch";
  arguments.advise.calls = arguments.replay.calls;
  if (Error error = MakeRedactor(arguments.redact)) return error;
  if (arguments.redact.is_redacted && (arguments.advise.patch || arguments.is_replayed)) {
    return MakeError(
        "--redact cannot be combined with --emit patch or --replay, which need the original code");
  }
  arguments.advise.redactor = arguments.redact.redactor.get();
  ReplayRun run;
  if (Error error = MakeAdvice(arguments, *source, run)) return error;
  const std::optional<Advice>& advice = run.advice;
  const Session& session = run.session;
  ReportUnread(advice->unread);
  if (!CheckRecognised(session, EmptyInputsFor(arguments.expects_output, advice->unread.empty()))) {
    return ExitStatus::kTrouble;
  }

  Error error = WriteFormatted(arguments.emit.empty() ? AdviceFormats() : AdviceEmitters(),
                               arguments, *advice, session);
  return FinishResult(std::move(error), arguments, advice->unread.empty(), WorstOf(*advice));
}

void AddAdvise(CommandLine& line, AdviseArguments& arguments) {
  line.Add("LOG", &arguments.advise.paths, "", "Logs, traces, or folders of them",
           {.is_required = true});
  AddChoice(line, "--emit", arguments.emit, FormatNames(AdviceEmitters()),
            "Write the plan as text to paste instead");
  line.Add("--source-root", &arguments.advise.source_root, "DIR",
           "Folder with the source files that the log names");
  line.AddFlag("--replay", &arguments.is_replayed,
               "Run the actions, and withdraw those that do not pay off");
  AddReplayOptions(line, arguments.replay, arguments.programs);
  AddRuleList(line, "--select", arguments.advise.select,
              "Address only findings of these rules, by code, code prefix or name");
  AddRuleList(line, "--ignore", arguments.advise.ignore, "Do not address findings of these rules");
  AddResultOptions(
      line,
      {.formats = FormatNames(AdviceFormats()),
       .all = "text: list all actions",
       .fail_on = "Exit with 1 if there is advice on a finding of at least this severity",
       .can_expect_output = true},
      arguments);
}

}  // namespace

const Command kAdviseCommand = {4, "advise",
                                "List what to do about a run, and what each action would save",
                                Prepare<AdviseArguments, AddAdvise, RunAdvise>};

}  // namespace shapewise
