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
#include "cli/replay_programs.h"
#include "cli/result_output.h"
#include "cli/terminal.h"
#include "cli/unrecognised.h"
#include "cli/usage.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/pipeline/replay.h"
#include "shapewise/report/graph_writer.h"
#include "shapewise/report/replay_writer.h"

namespace shapewise {
namespace {

/// What `shapewise replay` was asked to do, as the command line says it.
struct ReplayArguments {
  ReplayOptions replay;
  ReplayProgramOptions programs;
  std::string format = "text";      ///< a ReplayWriter::name()
  std::string output;               ///< --output; empty: standard output
  std::string fail_on = "warning";  ///< a severity, or "never"
  bool exit_zero = false;           ///< what came of it does not change the exit status
  std::string color = "auto";       ///< auto, always or never
  ReportOptions report;
};

constexpr const char* kExamples =
    "PLAN is the JSON of `shapewise advise` or `shapewise buckets`; LOG and TRACE are read as by\n"
    "`advise`, whose actions are then run, each alone and the plan together. Calls are those of\n"
    "--calls (analyzer/docs/call-records.md), else those that missed a cache.\n"
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
    "      --policy \"buckets(x, 1, 64|128|256) + mark_static(x, 1)\"";

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const ReplayWriter* writer : ReplayWriters()) names.emplace_back(writer->name());
  return names;
}

/// Graph number `graph` of `graphs` as a program that can be run.
std::string ProgramOf(const GraphSet& graphs, size_t graph) {
  GraphReport report;
  report.graph = graph;
  std::string text;
  llvm::raw_string_ostream out(text);
  FindGraphWriter("program")->Write(graphs, {report}, ReportOptions(), out);
  out.flush();
  return text;
}

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

ExitStatus RunReplay(ReplayArguments& arguments) {
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::Make(arguments.programs.keep);
  if (!folder) return FinishResult(folder.takeError());
  ReplayOptions& options = arguments.replay;
  PlaceIn(**folder, options);
  options.program_of = ProgramOf;
  const std::unique_ptr<FileSource> disk = NewDiskFileSource();
  ProgressSource watched(*disk);
  FileSource& files = ErrorsAreSeen() ? static_cast<FileSource&>(watched) : *disk;
  ReplayRun run;
  if (Error error = PrepareReplay(options, files, run)) return FinishResult(std::move(error));
  for (const std::string& message : run.report.unread) {
    llvm::errs() << "shapewise: error: " << message << "\n";
  }
  if (!ReportDamage(run.files, "a call a line: a JSON object with inputs")) {
    return ExitStatus::kTrouble;
  }
  if (!run.session.inputs().empty() && !CheckRecognised(run.session)) return ExitStatus::kTrouble;
  if (Error error = RunPolicies(arguments.programs, options, **folder, run)) {
    return FinishResult(std::move(error));
  }

  const bool to_file = !arguments.output.empty() && arguments.output != "-";
  arguments.report.tool_version = SHAPEWISE_VERSION;
  arguments.report.color = WantsColor(arguments.color, to_file);
  arguments.report.width = ReportWidth(to_file);
  const ReplayWriter& writer = *FindReplayWriter(arguments.format);
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    writer.Write(run.report, arguments.report, out);
  });
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
      *AddSubcommand(parent, "replay", "Run what was advised, before and after", kExamples);
  app.add_option("PATH", arguments->replay.paths, "Plans, logs, traces, and folders of them")
      ->type_name("PLAN|LOG|TRACE");
  AddReplayOptions(app, arguments->replay, arguments->programs);
  app.add_option("--policy", arguments->replay.policies,
                 "Run this as well, in the words of shapewise predict; repeatable")
      ->type_name("POLICY")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--dim", arguments->replay.dim, "What a plan of buckets pads, as x:1")
      ->type_name("SRC:DIM");
  AddChoice(app, "--format", arguments->format, FormatNames(), "Form of the result");
  app.add_option("-o,--output", arguments->output, "Write the result to a file")->type_name("FILE");
  AddChoice(app, "--fail-on", arguments->fail_on, FailOnNames(),
            "Advice that was withdrawn is a warning; fail from this on");
  app.add_flag("--exit-zero", arguments->exit_zero, "Exit with 0 whatever comes of it");
  AddChoice(app, "--color", arguments->color, {"auto", "always", "never"}, "Use of colours");
  return {&app, [arguments] { return RunReplay(*arguments); }};
}

}  // namespace shapewise
