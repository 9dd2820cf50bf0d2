#include "cli/commands.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/child_program.h"
#include "cli/options.h"
#include "cli/run_folder.h"
#include "cli/tune_runner.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/tune.h"
#include "redact/redact.h"
#include "report/report.h"
#include "support/terminal_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// The command line of `shapewise tune`.
struct TuneArguments : ResultArguments {
  std::vector<std::string> command;
  std::string folder;             ///< --folder; empty: a new one
  std::string backend = "eager";  ///< --backend; "keep": the program's own
  uint64_t steps = 1000;          ///< --steps
  double seconds = 60;            ///< --seconds
  unsigned jobs = 0;              ///< -j; 0: based on the number of cores
  bool confirms = false;          ///< --confirm
  bool is_quiet = false;          ///< --quiet: no progress
  uint64_t max_disk = 2ULL << 30U;
  TuneOptions options;  ///< --candidates, --allow-padding

  bool KeepsBackend() const { return backend == "keep"; }
};

constexpr unsigned kMostJobs = 4;
// Limit on the time of an action, relative to the unchanged program.
constexpr double kPatience = 3;

std::string CommandText(const std::vector<std::string>& command) { return Joined(command, " "); }

/// A tune, from the first run to the report.
class Tuning {
 public:
  Tuning(TuneArguments& arguments, std::string program, const std::string& folder)
      : arguments_(arguments), runner_(std::move(program), arguments.command, folder) {
    report_.command = CommandText(arguments.command);
    report_.folder = folder;
    if (!arguments.KeepsBackend()) report_.backend = arguments.backend;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    runner_.jobs = arguments.jobs > 0 ? arguments.jobs : std::min(cores, kMostJobs);
    runner_.max_disk = arguments.max_disk;
    runner_.is_quiet = arguments.is_quiet;
    runner_.shows_actions = !arguments.redact.is_redacted;
  }

  /// Makes all runs. Error: the program cannot be started, or never calls a compiled function.
  Error Run() {
    runner_.runs_to_come = arguments_.options.max_candidates + 1;
    if (Error error = RunBaseline()) return error;
    if (!baseline_ || report_.baseline.calls == 0) return Error::success();
    if (Error error = RunCandidates()) return error;
    if (Error error = RunCombination()) return error;
    report_.best = BestTunedAction(report_.actions);
    if (arguments_.confirms && report_.best && !runner_.is_interrupted()) return Confirm();
    return Error::success();
  }

  TuneReport& Finish() {
    report_.is_interrupted = runner_.is_interrupted();
    if (report_.is_interrupted) report_.gaps.push_back("Interrupted: not all runs were made.");
    return report_;
  }

 private:
  TuneLimits Limits(double seconds, uint64_t steps) const {
    return {report_.backend, steps, seconds, 0};
  }

  /// Limits of all later runs, which do the same work as the first.
  TuneLimits LaterLimits() const {
    const double longest = kPatience * report_.baseline.run_seconds;
    return Limits(std::max(arguments_.seconds, longest), report_.baseline.steps);
  }

  Error RunBaseline() {
    auto observed =
        runner_.Run({{"baseline", nullptr, Limits(arguments_.seconds, arguments_.steps)}});
    if (!observed) return observed.takeError();
    if (!observed->front()) return Error::success();
    baseline_ = std::move(observed->front());
    report_.baseline = baseline_->run;
    report_.torch = baseline_->torch;
    report_.device = baseline_->device;
    const TuneRun& run = report_.baseline;
    if (run.calls == 0 && run.HasFailed()) {
      return MakeError("the program ended with status " + std::to_string(run.status) +
                       " before it called a compiled function: " + run.error);
    }
    if (run.calls == 0 && run.end == TuneEnd::kTimeout) {
      report_.gaps.push_back(
          "The program was ended: it called no compiled function for too long "
          "(--seconds).");
    }
    // Parallel runs would share a GPU, or the ports of a launcher.
    if (arguments_.jobs == 0 && (report_.device != "cpu" || baseline_->processes > 1)) {
      runner_.jobs = 1;
    }
    return Error::success();
  }

  Error RunCandidates() {
    TuneOptions& options = arguments_.options;
    options.has_real_backend = arguments_.KeepsBackend();
    options.torch = report_.torch;
    const std::string& folder = report_.baseline.folder;
    options.advise.paths = {folder + "/logs", folder + "/trace"};
    const std::unique_ptr<FileSource> files = NewRunFileSource();
    Expected<std::vector<std::string>> calls = files->Expand(folder + "/calls");
    if (!calls) return calls.takeError();
    options.advise.calls = std::move(*calls);
    Expected<std::vector<TunedAction>> candidates =
        TuneCandidates(options, report_.baseline, *files, report_.gaps);
    if (!candidates) return candidates.takeError();
    report_.actions = std::move(*candidates);
    std::vector<TuneTask> tasks = {{"repeated", nullptr, LaterLimits()}};
    for (size_t i = 0; i < report_.actions.size(); ++i) {
      tasks.push_back({Number(i), &report_.actions[i], LaterLimits()});
    }
    runner_.runs_to_come = 1;
    auto observed = runner_.Run(tasks);
    if (!observed) return observed.takeError();
    repeated_ = std::move(observed->front());
    if (repeated_) report_.repeated = repeated_->run;
    for (size_t i = 0; i < report_.actions.size(); ++i) {
      Judge(std::move((*observed)[i + 1]), report_.actions[i]);
    }
    return Error::success();
  }

  Error RunCombination() {
    std::optional<TunedAction> combined = CombineTunedActions(report_.actions);
    if (!combined || runner_.is_interrupted()) return Error::success();
    runner_.runs_to_come = 0;
    auto observed = runner_.Run({{Number(report_.actions.size()), &*combined, LaterLimits()}});
    if (!observed) return observed.takeError();
    Judge(std::move(observed->front()), *combined);
    report_.actions.push_back(std::move(*combined));
    return Error::success();
  }

  void Judge(std::optional<TuneObservation> observed, TunedAction& action) {
    if (!observed || observed->run.end == TuneEnd::kInterrupted) return;
    const TuneObservation* repeated = repeated_ ? &*repeated_ : nullptr;
    JudgeTunedAction(*baseline_, repeated, std::move(*observed), arguments_.KeepsBackend(), action);
  }

  /// Runs the unchanged program and the best action with the program's own backend, one after the
  /// other.
  Error Confirm() {
    TunedAction action = report_.actions[*report_.best];
    const bool are_results_known = action.run->equal.has_value();
    TuneLimits limits = LaterLimits();
    limits.backend.clear();
    runner_.jobs = 1;
    auto observed =
        runner_.Run({{"confirm-baseline", nullptr, limits}, {"confirm", &action, limits}});
    if (!observed) return observed.takeError();
    std::optional<TuneObservation>& before = observed->front();
    std::optional<TuneObservation>& after = observed->back();
    if (!before || !after || runner_.is_interrupted()) return Error::success();
    report_.confirmed_before = before->run;
    // If two runs agreed, one with another backend is sufficient.
    JudgeTunedAction(*before, are_results_known ? &*before : nullptr, std::move(*after),
                     /*has_real_backend=*/true, action);
    if (action.verdict != TuneVerdict::kBetter) report_.best.reset();
    report_.confirmed = std::move(action);
    return Error::success();
  }

  static std::string Number(size_t index) {
    return (index < 9 ? "0" : "") + std::to_string(index + 1);
  }

  TuneArguments& arguments_;
  TuneRunner runner_;
  TuneReport report_;
  std::optional<TuneObservation> baseline_;
  std::optional<TuneObservation> repeated_;
};

/// Writes the best action as text to paste, in the requested form.
void WriteEmitted(TuneArguments& arguments, const TuneReport& report, llvm::raw_ostream& out) {
  Advice advice = AdviceOfTune(report);
  const Session nothing;
  arguments.options.advise.patch = arguments.emit == "patch";
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  PatchPlan(arguments.options.advise, *files, advice);
  FindFormat(AdviceEmitters(), arguments.emit)->write(advice, nothing, arguments.report, out);
  if (!arguments.options.advise.patch || !report.best) return;
  for (const TunePatch& patch : report.actions[*report.best].patches) out << patch.diff;
}

Error WriteAnswer(TuneArguments& arguments, const TuneReport& report) {
  if (arguments.emit.empty()) return WriteFormatted(TuneFormats(), arguments, report);
  PrepareReport(arguments.output, arguments.color, arguments.report);
  return WriteCode(arguments.output,
                   [&](llvm::raw_ostream& out) { WriteEmitted(arguments, report, out); });
}

Expected<ExitStatus> RunTune(TuneArguments& arguments) {
  if (Error error = MakeRedactor(arguments.redact)) return error;
  Redactor* const redactor = arguments.redact.redactor.get();
  if (redactor != nullptr && !arguments.emit.empty()) {
    return MakeError("--redact cannot be combined with --emit, which prints code");
  }
  std::string program;
  if (const auto failure = FindCommand(arguments.command.front(), program)) {
    return RedactedTrouble(MakeError(failure->message), redactor);
  }
  // Every run has a folder of its own for its traces.
  unsetenv("TORCH_TRACE");  // NOLINT(concurrency-mt-unsafe): no thread was started
  const std::string folder = arguments.folder.empty() ? NewRunName() + "-tune" : arguments.folder;
  if (!arguments.is_quiet) {
    const bool is_named = redactor == nullptr || arguments.folder.empty();
    llvm::errs() << "shapewise: runs are in "
                 << (is_named ? MakePrintable(folder) : "the folder of --folder") << "\n";
  }
  Tuning tuning(arguments, program, folder);
  if (Error error = tuning.Run()) return RedactedTrouble(std::move(error), redactor);
  TuneReport& report = tuning.Finish();
  const bool helps = report.best.has_value();
  if (redactor != nullptr) RedactTune(*redactor, report);
  Error error = WriteAnswer(arguments, report);
  return FinishResult(std::move(error), arguments, !report.is_interrupted, WarningIf(helps));
}

void AddTune(CommandLine& line, TuneArguments& arguments) {
  line.Add("CMD", &arguments.command, "", "The command and its arguments, after --",
           {.is_required = true});
  line.Add("--folder", &arguments.folder, "DIR",
           "Where to keep the runs [default: shapewise-runs/<date>-<time>-<pid>-tune]");
  line.Add("--steps", &arguments.steps, "N", "End a run after N calls of compiled functions",
           {.check = Positive(), .shows_default = true});
  line.Add("--seconds", &arguments.seconds, "S",
           "End a run at the first call S seconds after its first one",
           {.check = Positive(), .shows_default = true});
  line.Add("--backend", &arguments.backend, "NAME",
           "Backend of torch.compile in these runs, or keep for the program's own",
           {.shows_default = true});
  line.Add("--candidates", &arguments.options.max_candidates, "N", "Try at most N actions",
           {.check = Positive(), .shows_default = true});
  line.AddFlag("--allow-padding", &arguments.options.allows_padding,
               "Also try actions that pad inputs");
  line.AddFlag("--confirm", &arguments.confirms,
               "Repeat the best run and the unchanged one with the program's own backend");
  line.Add("-j,--jobs", &arguments.jobs, "N",
           "Number of parallel runs [default: one per core, at most 4; one on a GPU]",
           {.check = Positive()});
  line.AddFlag("--quiet", &arguments.is_quiet, "No progress on stderr");
  AddChoice(line, "--emit", arguments.emit, FormatNames(AdviceEmitters()),
            "Write the best action as text to paste instead");
  line.Add("--max-disk", &arguments.max_disk, "SIZE",
           "Limit for logs and traces of a run, such as 500M or 2G [default: 2G]",
           {.check = Bytes()});
  AddResultOptions(line,
                   {.formats = FormatNames(TuneFormats()),
                    .fail_on = "Exit with 1 at this severity; an action that helps is a warning"},
                   arguments);
}

}  // namespace

const Command kTuneCommand = {5, "tune",
                              "Run a program with each action that may help, and keep what helps",
                              Prepare<TuneArguments, AddTune, RunTune>};

}  // namespace shapewise
