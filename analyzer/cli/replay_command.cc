#include "cli/replay_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/record_damage.h"
#include "cli/redaction.h"
#include "cli/replay_programs.h"
#include "cli/result_output.h"
#include "cli/terminal.h"
#include "cli/unrecognised.h"
#include "cli/usage.h"
#include "cli/value_checks.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/pipeline/replay.h"
#include "shapewise/redact/redact.h"
#include "shapewise/redact/redact_calls.h"
#include "shapewise/report/replay_writer.h"

namespace shapewise {
namespace {

/// What `shapewise replay` was asked to do, as the command line says it.
struct ReplayArguments {
  ReplayOptions replay;
  ReplayProgramOptions programs;
  CurveOptions curve;
  std::string cost_file;            ///< --cost-file: where the curve is left
  std::string format = "text";      ///< a ReplayWriter::name()
  std::string output;               ///< --output; empty: standard output
  std::string fail_on = "warning";  ///< a severity, or "never"
  bool exit_zero = false;           ///< what came of it does not change the exit status
  std::string color = "auto";       ///< auto, always or never
  ReportOptions report;
  RedactArguments redact;  ///< --redact, --redact-key
};

constexpr const char* kReplayExamples =
    "PLAN is the JSON of `shapewise advise` or `shapewise buckets`; LOG and TRACE are read as by\n"
    "`advise`, whose actions are then run, each alone and the plan together. Calls are those of\n"
    "--calls (analyzer/docs/call-records.md), else those that missed a cache.\n"
    "\n"
    "With --sizes, --lengths or --cost-file no policies are run, but calls of several sizes "
    "timed:\n"
    "those of --callable under torch.compile, with all of --dim of one size, or those of DUMP, a\n"
    "captured graph without a history, by shapewise-replay.\n"
    "\n"
    "--callable is run as any program of yours. A graph out of a trace is a program that anybody\n"
    "may have written: it is run with --trust only. Python and torch are those of --python, else\n"
    "of the virtual environment, else python3.\n"
    "\n"
    "Exit status: 0 what was advised holds; 1 something of it was withdrawn (a warning for\n"
    "--fail-on); 2 could not do its work: no Python, no torch, nothing to run.\n"
    "\n"
    "Examples:\n"
    "  shapewise replay --callable train.py:step --calls calls.jsonl trace/\n"
    "  shapewise advise --format json trace/ > plan.json\n"
    "  shapewise replay --callable train.py:step plan.json\n"
    "  shapewise replay --trust trace/\n"
    "  shapewise replay --callable train.py:step --calls calls.jsonl --policy \"dynamic=True\" \\\n"
    "      --policy \"buckets(x, 1, 64|128|256) + mark_static(x, 1)\"\n"
    "  shapewise replay --callable train.py:step --calls calls.jsonl buckets.json \\\n"
    "      --dim tokens:1 --dim labels:1 --fill labels=-100\n"
    "  shapewise replay --callable train.py:step --calls calls.jsonl --dim x:1 --cost-file "
    "cost.csv\n"
    "  shapewise replay graph.txt --lengths lengths.csv --buckets 8 --cost-file cost.csv";

/// Whether advice did not hold, or something that was asked for changes what is computed.
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

/// Prints what `write` writes with the form that was asked for.
template <typename Report>
Error WriteReport(ReplayArguments& arguments, const Report& report) {
  const bool to_file = !arguments.output.empty() && arguments.output != "-";
  arguments.report.tool_version = SHAPEWISE_VERSION;
  arguments.report.color = WantsColor(arguments.color, to_file);
  arguments.report.width = ReportWidth(to_file);
  const ReplayWriter& writer = *FindReplayWriter(arguments.format);
  return WriteResult(arguments.output,
                     [&](llvm::raw_ostream& out) { writer.Write(report, arguments.report, out); });
}

/// Whether it is asked what sizes cost, and not what policies bring.
bool AsksForCurve(const ReplayArguments& arguments) {
  const CurveOptions& curve = arguments.curve;
  return !curve.sizes.empty() || !curve.lengths.empty() || !arguments.cost_file.empty();
}

/// Makes a curve of a dump's graph, or of a callable, ready.
Error PrepareAnyCurve(ReplayArguments& arguments, FileSource& files, CurveRun& run) {
  CurveOptions& options = arguments.curve;
  if (!arguments.replay.policies.empty()) {
    return MakeError("--policy runs policies; --sizes, --lengths and --cost-file time sizes");
  }
  if (!arguments.replay.fills.empty()) {
    return MakeError(
        "--fill belongs to a plan of buckets; where sizes are timed nothing is padded");
  }
  if (!arguments.replay.callable.empty()) {
    return PrepareCallableCurve(options, arguments.replay, files, run);
  }
  options.dumps = arguments.replay.paths;
  options.program_of = GraphProgramOf;
  if (options.dumps.empty()) {
    return MakeError("no dump of a graph is given, and no --callable");
  }
  if (options.sizes.empty() && options.lengths.empty()) {
    return MakeError("--sizes or --lengths is required: the sizes at which the graph is timed");
  }
  return PrepareCurve(options, files, run);
}

/// What sizes cost.
ExitStatus RunSizes(ReplayArguments& arguments, const WorkFolder& folder, FileSource& files) {
  CurveRun run;
  Redactor* const redactor = arguments.replay.redactor;
  arguments.curve.redactor = redactor;
  if (Error error = PrepareAnyCurve(arguments, files, run)) {
    return FinishResult(RedactedTrouble(std::move(error), redactor));
  }
  if (!ReportDamage(run.files, "a call a line: a JSON object with inputs")) {
    return ExitStatus::kTrouble;
  }
  if (Error error = RunCurve(arguments.programs, arguments.curve, arguments.replay, folder, run)) {
    return FinishResult(RedactedTrouble(std::move(error), redactor));
  }
  if (redactor != nullptr) {
    if (!run.job.empty()) run.report.subject = RedactCallable(*redactor, run.report.subject);
    RedactCurve(*redactor, run.report);
  }
  if (!arguments.cost_file.empty()) {
    Error error = WriteResult(arguments.cost_file,
                              [&](llvm::raw_ostream& out) { WriteCostFile(run.report, out); });
    if (error) return FinishResult(std::move(error));
  }
  return FinishResult(WriteReport(arguments, run.report));
}

/// Whether the logs of `run` were of use, if there are any; says so if not.
bool AreLogsRecognised(const ReplayRun& run, Redactor* redactor) {
  if (run.session.inputs().empty()) return true;
  if (redactor == nullptr) return CheckRecognised(run.session, EmptyInputs::kError);
  Session redacted;
  RedactSession(run.session, *redactor, redacted);
  return CheckRecognised(redacted, EmptyInputs::kError);
}

ExitStatus RunReplay(ReplayArguments& arguments) {
  Expected<std::unique_ptr<Redactor>> redactor = MakeRedactor(arguments.redact);
  if (!redactor) return FinishResult(redactor.takeError());
  arguments.replay.redactor = redactor->get();
  arguments.programs.is_silent = arguments.redact.is_redacted;
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::Make(arguments.programs.keep);
  if (!folder) return FinishResult(folder.takeError());
  ReplayOptions& options = arguments.replay;
  PlaceIn(**folder, options);
  options.program_of = GraphProgramOf;
  const std::unique_ptr<FileSource> disk = NewDiskFileSource();
  ProgressSource watched(*disk);
  FileSource& files = ErrorsAreSeen() ? static_cast<FileSource&>(watched) : *disk;
  if (AsksForCurve(arguments)) return RunSizes(arguments, **folder, files);
  ReplayRun run;
  if (Error error = PrepareReplay(options, files, run)) {
    return FinishResult(RedactedTrouble(std::move(error), options.redactor));
  }
  ReportUnread(run.report.unread);
  if (!ReportDamage(run.files, "a call a line: a JSON object with inputs")) {
    return ExitStatus::kTrouble;
  }
  if (!AreLogsRecognised(run, options.redactor)) return ExitStatus::kTrouble;
  if (Error error = RunPolicies(arguments.programs, options, **folder, run)) {
    return FinishResult(RedactedTrouble(std::move(error), options.redactor));
  }

  Error error = WriteReport(arguments, run.report);
  if (!run.report.unread.empty()) return FinishResult(std::move(error), ExitStatus::kTrouble);
  const std::optional<Severity> fail_on = FailOnSeverity(arguments.fail_on);
  const bool is_failure =
      !arguments.exit_zero && fail_on && *fail_on <= Severity::kWarning && HasWithdrawn(run.report);
  return FinishResult(std::move(error), is_failure ? ExitStatus::kFindings : ExitStatus::kClean);
}

}  // namespace

Command AddReplayCommand(CLI::App& parent) {
  const auto arguments = std::make_shared<ReplayArguments>();
  CLI::App& app =
      *AddSubcommand(parent, "replay", "Run what was advised, before and after", kReplayExamples);
  app.add_option("PATH", arguments->replay.paths,
                 "Plans, logs, traces, and folders of them; or a dump of a graph")
      ->type_name("PLAN|LOG|TRACE|DUMP");
  AddReplayOptions(app, arguments->replay, arguments->programs);
  app.add_option("--policy", arguments->replay.policies,
                 "Run this as well, in the words of shapewise predict; repeatable")
      ->type_name("POLICY")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddRepeatable(app, "--dim", arguments->replay.dims, "SRC:DIM",
                "What buckets pad, as x:1; repeatable: together, by the sizes of the first");
  AddRepeatable(app, "--fill", arguments->replay.fills, "SRC=N",
                "What padding by such a plan holds, as labels=-100; repeatable");
  CurveOptions& curve = arguments->curve;
  app.add_option("--sizes", curve.sizes, "Time calls of these sizes, with commas between")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,N,...");
  app.add_option("--lengths", curve.lengths,
                 "Time the sizes that matter for buckets of these lengths")
      ->type_name("FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--column", curve.query.columns, "Their column, by name or number")
      ->expected(1)
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--graph", curve.graph, "Which graph of a dump")->type_name("NAME");
  app.add_option("--symbol", curve.symbol, "Which symbol is varied")->type_name("NAME");
  app.add_option("--buckets", curve.active.max_buckets, "Buckets that the plan may have")
      ->type_name("K")
      ->check(Positive())
      ->capture_default_str();
  app.add_option("--align", curve.limits.alignment, "Buckets beyond 32 are multiples of it")
      ->type_name("N")
      ->check(Positive())
      ->capture_default_str();
  app.add_option("--gap", curve.active.gap, "Stop when the plan is so close to the best one")
      ->type_name("SHARE")
      ->check(ZeroOrMore())
      ->capture_default_str();
  app.add_option("--measurements", curve.active.measurements, "Time at most so many sizes")
      ->type_name("N")
      ->check(Positive())
      ->capture_default_str();
  app.add_option("--noise", curve.active.noise, "A time is off by at most this share")
      ->type_name("SHARE")
      ->check(ZeroOrMore())
      ->capture_default_str();
  app.add_option("--cost-file", arguments->cost_file,
                 "Leave sizes and times in FILE, for shapewise buckets --cost")
      ->type_name("FILE");
  AddChoice(app, "--format", arguments->format, WriterNames(ReplayWriters()), "Form of the result");
  app.add_option("-o,--output", arguments->output, "Write the result to a file")->type_name("FILE");
  AddChoice(app, "--fail-on", arguments->fail_on, FailOnNames(),
            "Advice that was withdrawn is a warning; fail from this on");
  AddRedactOptions(app, arguments->redact);
  app.add_flag("--exit-zero", arguments->exit_zero, "Exit with 0 whatever comes of it");
  AddChoice(app, "--color", arguments->color, {"auto", "always", "never"}, "Use of colours");
  return {&app, [arguments] { return RunReplay(*arguments); }};
}

}  // namespace shapewise
