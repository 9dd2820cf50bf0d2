#include "cli/commands.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "cli/options.h"
#include "cli/replay_programs.h"
#include "cli/result_output.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/replay.h"
#include "redact/redact.h"
#include "report/report.h"

namespace shapewise {
namespace {

/// The command line of `shapewise replay`.
struct ReplayArguments : ResultArguments {
  ReplayOptions replay;
  ReplayProgramOptions programs;
  CurveOptions curve;
  std::string cost_file;  ///< --cost-file: where to write the curve
};

/// Whether advice was withdrawn, or a requested policy changes results.
bool HasWithdrawn(const ReplayReport& report) {
  return std::ranges::any_of(report.policies, [](const ReplayedPolicy& policy) {
    switch (policy.verdict) {
      case ReplayVerdict::kDifferent:
      case ReplayVerdict::kFailed:
        return true;
      case ReplayVerdict::kNoChange:
      case ReplayVerdict::kSlower:
        return policy.is_advice;
      default:
        return false;
    }
  });
}

/// Whether costs by size are requested instead of policies.
bool AsksForCurve(const ReplayArguments& arguments) {
  const CurveOptions& curve = arguments.curve;
  return !curve.sizes.empty() || !curve.lengths.empty() || !arguments.cost_file.empty();
}

Error PrepareAnyCurve(ReplayArguments& arguments, FileSource& files, CurveRun& run) {
  CurveOptions& options = arguments.curve;
  if (!arguments.replay.policies.empty()) {
    return MakeError(
        "--policy cannot be combined with --sizes, --lengths or --cost-file, which time sizes");
  }
  if (!arguments.replay.fills.empty()) {
    return MakeError("--fill requires a plan of buckets: nothing is padded when sizes are timed");
  }
  if (!arguments.replay.callable.empty()) {
    return PrepareCallableCurve(options, arguments.replay, files, run);
  }
  options.dumps = arguments.replay.paths;
  options.program_of = GraphProgramOf;
  if (options.dumps.empty()) {
    return MakeError("nothing to run: expected a dump of a graph, or --callable");
  }
  if (options.sizes.empty() && options.lengths.empty()) {
    return MakeError("nothing to time: expected --sizes or --lengths");
  }
  return PrepareCurve(options, files, run);
}

Expected<ExitStatus> RunSizes(ReplayArguments& arguments, const WorkFolder& folder,
                              FileSource& files) {
  CurveRun run;
  Redactor* const redactor = arguments.replay.redactor;
  arguments.curve.redactor = redactor;
  if (Error error = PrepareAnyCurve(arguments, files, run)) {
    return RedactedTrouble(std::move(error), redactor);
  }
  if (!ReportDamage(run.files, kExpectedCalls)) return ExitStatus::kTrouble;
  if (Error error = RunCurve(arguments.programs, arguments.curve, arguments.replay, folder, run)) {
    return RedactedTrouble(std::move(error), redactor);
  }
  if (redactor != nullptr) {
    if (!run.job.empty()) run.report.subject = RedactCallable(*redactor, run.report.subject);
    RedactCurve(*redactor, run.report);
  }
  if (!arguments.cost_file.empty()) {
    Error error = WriteResult(arguments.cost_file,
                              [&](llvm::raw_ostream& out) { WriteCostFile(run.report, out); });
    if (error) return error;
  }
  return FinishResult(WriteFormatted(CurveFormats(), arguments, run.report));
}

/// Whether the logs of `run`, if any, were recognized; reports it if not.
bool AreLogsRecognised(const ReplayRun& run, Redactor* redactor) {
  if (run.session.inputs().empty()) return true;
  if (redactor == nullptr) return CheckRecognised(run.session, EmptyInputs::kError);
  Session redacted;
  RedactSession(run.session, *redactor, redacted);
  return CheckRecognised(redacted, EmptyInputs::kError);
}

Expected<ExitStatus> RunReplay(ReplayArguments& arguments) {
  if (Error error = MakeRedactor(arguments.redact)) return error;
  arguments.replay.redactor = arguments.redact.redactor.get();
  arguments.programs.is_silent = arguments.redact.is_redacted;
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::Make(arguments.programs.keep);
  if (!folder) return folder.takeError();
  ReplayOptions& options = arguments.replay;
  PlaceIn(**folder, options);
  options.program_of = GraphProgramOf;
  const std::unique_ptr<FileSource> files = NewWatchedFileSource();
  if (AsksForCurve(arguments)) return RunSizes(arguments, **folder, *files);
  ReplayRun run;
  if (Error error = PrepareReplay(options, *files, run)) {
    return RedactedTrouble(std::move(error), options.redactor);
  }
  ReportUnread(run.report.unread);
  if (!ReportDamage(run.files, kExpectedCalls)) return ExitStatus::kTrouble;
  if (!AreLogsRecognised(run, options.redactor)) return ExitStatus::kTrouble;
  if (Error error = RunPolicies(arguments.programs, options, **folder, run)) {
    return RedactedTrouble(std::move(error), options.redactor);
  }

  Error error = WriteFormatted(ReplayFormats(), arguments, run.report);
  return FinishResult(std::move(error), arguments, run.report.unread.empty(),
                      WarningIf(HasWithdrawn(run.report)));
}

void AddPolicyOptions(CommandLine& line, ReplayArguments& arguments) {
  line.SetHeading("Policies");
  AddRepeatable(line, "--policy", arguments.replay.policies, "POLICY",
                "Also run this policy, in the syntax of shapewise predict; repeatable");
  AddRepeatable(line, "--dim", arguments.replay.dims, "SRC:DIM",
                "Dim to pad with a plan of buckets, such as x:1; repeat it to pad several dims "
                "together, by the size of the first");
  AddRepeatable(line, "--fill", arguments.replay.fills, "SRC=N",
                "Padding value for an input, such as labels=-100; repeatable");
}

void AddCurveOptions(CommandLine& line, ReplayArguments& arguments) {
  line.SetHeading("Times by size");
  CurveOptions& curve = arguments.curve;
  line.Add("--sizes", &curve.sizes, "N[,N]", "Time calls of these sizes, separated by commas",
           {.list = ListForm::kCommas});
  AddRepeatable(line, "--lengths", curve.lengths, "FILE",
                "Time the sizes that matter for buckets of these lengths");
  line.Add("--column", &curve.query.columns, "NAME", "Column of --lengths, by name or number",
           {.list = ListForm::kOnce});
  line.Add("--graph", &curve.graph, "NAME", "Name of the graph in a dump with several");
  line.Add("--symbol", &curve.symbol, "NAME", "Symbol of the graph to vary");
  AddRepeatable(line, "--bind", curve.binds, "SYMBOL=N",
                "Value of another symbol of the graph; repeatable");
  line.Add("--buckets", &curve.active.max_buckets, "K", "Maximum number of buckets",
           {.check = Positive(), .shows_default = true});
  line.Add("--align", &curve.limits.alignment, "N", "Make buckets above 32 multiples of N",
           {.check = Positive(), .shows_default = true});
  line.Add("--gap", &curve.active.gap, "SHARE",
           "Stop when the plan is within this share of the best one",
           {.check = ZeroOrMore(), .shows_default = true});
  line.Add("--measurements", &curve.active.measurements, "N", "Time at most N sizes",
           {.check = Positive(), .shows_default = true});
  line.Add("--noise", &curve.active.noise, "SHARE", "Assumed relative error of a time",
           {.check = ZeroOrMore(), .shows_default = true});
  line.Add("--cost-file", &arguments.cost_file, "FILE",
           "Write sizes and times for shapewise buckets --cost");
}

void AddReplay(CommandLine& line, ReplayArguments& arguments) {
  line.Add("PATH", &arguments.replay.paths, "PLAN|LOG|TRACE|DUMP",
           "Plans, logs or traces, or folders of them; or a dump of a graph");
  AddReplayOptions(line, arguments.replay, arguments.programs);
  AddPolicyOptions(line, arguments);
  AddCurveOptions(line, arguments);
  AddResultOptions(line,
                   {.formats = FormatNames(ReplayFormats()),
                    .fail_on = "Exit with 1 at this severity; withdrawn advice is a warning"},
                   arguments);
}

}  // namespace

const Command kReplayCommand = {11, "replay", "Run advised actions, and compare before and after",
                                Prepare<ReplayArguments, AddReplay, RunReplay>};

}  // namespace shapewise
