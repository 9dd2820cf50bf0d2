#include "cli/commands.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/child_program.h"
#include "cli/follow_pace.h"
#include "cli/options.h"
#include "cli/result_output.h"
#include "cli/run_folder.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/followed_run.h"
#include "pipeline/lint.h"
#include "pipeline/run_inputs.h"
#include "pipeline/run_page.h"
#include "report/report.h"
#include "support/error.h"
#include "support/growing_file.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

/// Reads new data in the files of a run, and prints news to stderr.
class LiveNews {
 public:
  /// `folder` must outlive this. Error: a selector that matches no rule.
  static Expected<std::unique_ptr<LiveNews>> Make(const RunFolder& folder,
                                                  const LintOptions& options);

  /// Reads new data and prints news, unless it did so a moment ago. Unreadable files are ignored.
  void Look();

  /// Reads the rest. Call once, last.
  LintResult Finish();

  const Session& session() const { return run_->session(); }

 private:
  struct Followed {
    std::unique_ptr<GrowingFile> file;
    size_t input = 0;
  };

  explicit LiveNews(const RunFolder& folder) : folder_(folder) {}
  /// Reads all files; returns whether there was any data.
  bool ReadAll();

  const RunFolder& folder_;
  std::unique_ptr<FollowedRun> run_;
  std::map<std::string, Followed> files_;
  FollowPace pace_{FollowPace::Clock::now()};
};

Expected<std::unique_ptr<LiveNews>> LiveNews::Make(const RunFolder& folder,
                                                   const LintOptions& options) {
  Expected<std::unique_ptr<FollowedRun>> run = FollowedRun::Make(options, {});
  if (!run) return run.takeError();
  std::unique_ptr<LiveNews> news(new LiveNews(folder));
  news->run_ = std::move(*run);
  return news;
}

bool LiveNews::ReadAll() {
  for (const std::string& path : folder_.Files()) {
    const auto [known, is_new] = files_.try_emplace(path);
    if (is_new) known->second = {std::make_unique<GrowingFile>(path), run_->AddInput(path)};
  }
  bool has_more = false;
  for (auto& [path, followed] : files_) {
    if (followed.file == nullptr) continue;
    Expected<std::string_view> bytes = followed.file->ReadMore();
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      followed.file.reset();
      continue;
    }
    if (bytes->empty()) continue;
    has_more = true;
    run_->Append(followed.input, *bytes);
  }
  return has_more;
}

void LiveNews::Look() {
  bool has_more = true;
  FollowPace::Clock::time_point now;
  // A busy program always has more by the next call, so what is there is read now.
  do {
    has_more = ReadAll();
    now = FollowPace::Clock::now();
    pace_.HaveRead(has_more, now);
  } while (has_more && !pace_.IsDue(now));
  if (!pace_.IsDue(now)) return;
  for (const RunNews& item : run_->Update(pace_.IsQuiet(now))) {
    PrintNews(item, /*as_json=*/false, llvm::errs());
  }
  pace_.HaveLooked(now, FollowPace::Clock::now());
}

LintResult LiveNews::Finish() {
  while (ReadAll()) {
  }
  return run_->Finish(/*has_calls=*/!folder_.Records().empty());
}

/// The command line of `shapewise run`.
struct RunArguments : ResultArguments {
  std::vector<std::string> command;
  std::string folder;               ///< --folder; empty: a new one
  bool is_live = false;             ///< --live
  bool is_quiet = false;            ///< --quiet: no verdict
  bool is_probing = true;           ///< not --no-probe
  uint64_t max_disk = 2ULL << 30U;  ///< --max-disk, bytes
  LintOptions lint;                 ///< --select, --ignore

  RunArguments() { fail_on = "never"; }

  bool IsPage() const { return format == "html"; }
};

// How often the folder is checked.
constexpr std::chrono::milliseconds kOutputPause{200};

/// "1.5 MiB", "300 bytes"
std::string ByteText(uint64_t bytes) {
  constexpr uint64_t kMebi = uint64_t{1} << 20U;
  if (bytes < kMebi) return std::to_string(bytes) + " bytes";
  const uint64_t tenths = bytes * 10 / kMebi;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

/// Reports on stderr what the verdict is based on, and what is missing.
void ReportRun(const RunArguments& arguments, const RunFolder& folder) {
  const RunProcesses processes = folder.ReadProcesses();
  Redactor* const redactor = arguments.lint.read.redactor;
  const auto note = [](const std::string& text) {
    llvm::errs() << "shapewise: " << MakePrintable(text) << "\n";
  };
  if (processes.traces_without > 0) {
    const bool is_one = processes.traces_without == 1;
    note("the start-up hook did not run in " + std::to_string(processes.traces_without) +
         (is_one ? " process that was" : " processes that were") +
         " traced: python -I, -E or -S, or another PYTHONPATH; of " + (is_one ? "it" : "them") +
         " there are no logs and no recorded calls");
  }
  if (processes.dropped_bytes > 0) {
    note(ByteText(processes.dropped_bytes) +
         " of logs and traces were dropped because of --max-disk and are missing from the result");
  }
  for (const std::string& trouble : processes.troubles) {
    note(redactor == nullptr ? trouble : redactor->Rewrite(TextKind::kProse, trouble));
  }
  // The name of our own folder reveals nothing; a user's name may.
  const bool is_named = redactor == nullptr || arguments.folder.empty();
  note(std::string("logs, traces and recorded calls") +
       (redactor == nullptr ? "" : ", which are not redacted,") + " are in " +
       (is_named ? folder.name() : "the folder of --folder"));
}

/// The content of a verdict.
struct Verdict {
  const LintResult& result;
  const Session& session;
  const RunPage& page;  ///< empty, except for --format html
};

/// Writes the verdict to stderr, or to the requested file.
Error WriteVerdict(RunArguments& arguments, const Verdict& verdict) {
  const bool to_file = !arguments.output.empty();
  const bool is_page = !to_file && ErrorsAreSeen();
  arguments.report.tool_version = SHAPEWISE_VERSION;
  arguments.report.color = WantsColor(arguments.color, !is_page);
  arguments.report.width = ReportWidth(!is_page);
  if (arguments.format == "sarif") arguments.report.rules = DiagnosticRules();
  const auto write = [&](llvm::raw_ostream& out) {
    if (arguments.IsPage()) {
      WritePage(verdict.result, verdict.session, verdict.page, arguments.report, out);
    } else {
      FindFormat(LintFormats(), arguments.format)
          ->write(verdict.result, verdict.session, arguments.report, out);
    }
  };
  if (to_file) return WriteResult(arguments.output, write);
  llvm::raw_fd_ostream stream(STDERR_FILENO, /*shouldClose=*/false);
  stream.SetBufferSize(size_t{1} << 16);
  write(stream);
  stream.flush();
  stream.clear_error();  // no caller is left to report the error to
  return Error::success();
}

/// Whether there is anything for a verdict; reports it if not.
bool IsAnythingThere(const Session& session) {
  if (std::ranges::any_of(session.inputs(), [](const Input& i) { return !i.format.empty(); })) {
    return true;
  }
  llvm::errs() << "shapewise: nothing was compiled by torch.compile, as far as was seen\n";
  return false;
}

/// Reports the verdict, and returns the exit status.
int ReportVerdict(RunArguments& arguments, const RunFolder& folder, const Verdict& verdict,
                  int status) {
  ReportUnread(verdict.result.unread);
  if (!arguments.is_quiet) {
    if (IsAnythingThere(verdict.session)) {
      if (Error error = WriteVerdict(arguments, verdict)) ReportTrouble(std::move(error));
    }
    ReportRun(arguments, folder);
  }
  const bool is_failure = status == 0 && IsFailure(arguments, WorstOf(verdict.result.findings));
  return is_failure ? static_cast<int>(ExitStatus::kFindings) : status;
}

/// Runs the program to its end, with news. Returns its exit status.
int FollowToEnd(PassedThrough& program, LiveNews& news) {
  while (true) {
    if (const std::optional<int> status = program.WaitFor(kOutputPause)) return *status;
    news.Look();
  }
}

/// Reads the files of a run in its folder; for a page everything, as `report FOLDER` does.
Error ReadRun(RunArguments& arguments, const RunFolder& folder, FileSource& files, RunReport& run) {
  arguments.lint.paths = folder.Files();
  // Of records lint needs to know only that there are some.
  for (std::string& records : folder.Records()) arguments.lint.paths.push_back(std::move(records));
  if (arguments.IsPage()) return ReportOnRun(arguments.lint, files, run);
  Expected<LintResult> result = Lint(arguments.lint, files, run.session);
  if (!result) return result.takeError();
  run.result = std::move(*result);
  return Error::success();
}

/// The page of a followed run: its calls are read now.
RunPage PageOfFollowedRun(const RunFolder& folder, FileSource& files, const Session& session,
                          LintResult& result) {
  RecordedFunctions recorded;
  std::vector<RecordFile> read;
  for (std::string& message : ReadRunRecords(folder.Records(), files, nullptr, recorded, read)) {
    result.unread.push_back(std::move(message));
  }
  return MakeRunPage(session, result.findings, std::move(recorded));
}

Expected<ExitStatus> RunProgramAndReport(RunArguments& arguments) {
  std::string path;
  std::optional<StartFailure> failure = FindCommand(arguments.command.front(), path);
  const auto cannot = [&] {
    llvm::errs() << "shapewise: error: " << MakePrintable(failure->message) << "\n";
    return static_cast<ExitStatus>(failure->status);
  };
  if (failure) return cannot();
  Expected<std::unique_ptr<RunFolder>> folder = RunFolder::Make(arguments.folder);
  if (!folder) return folder.takeError();
  std::unique_ptr<LiveNews> news;
  if (arguments.is_live) {
    Expected<std::unique_ptr<LiveNews>> made = LiveNews::Make(**folder, arguments.lint);
    if (!made) return made.takeError();
    news = std::move(*made);
  }

  int status = 0;
  {
    PassedThrough program;
    std::vector<std::pair<std::string, std::string>> variables =
        (*folder)->Variables(arguments.max_disk);
    if (arguments.is_probing) {
      variables.emplace_back("SHAPEWISE_RUN_PROBES", (*folder)->ProbesFolder());
    }
    failure = program.Start({path, arguments.command, std::move(variables)});
    if (failure) return cannot();
    status = news ? FollowToEnd(program, *news) : program.Wait();
  }
  WriteRunEnd((*folder)->path(), status);
  if (arguments.is_quiet && arguments.fail_on == "never") return static_cast<ExitStatus>(status);

  const std::unique_ptr<FileSource> files = NewRunFileSource();
  if (news) {
    LintResult result = news->Finish();
    RunPage page;
    if (arguments.IsPage()) page = PageOfFollowedRun(**folder, *files, news->session(), result);
    return static_cast<ExitStatus>(
        ReportVerdict(arguments, **folder, {result, news->session(), page}, status));
  }
  RunReport run;
  if (Error error = ReadRun(arguments, **folder, *files, run)) {
    ReportTrouble(std::move(error));
    return static_cast<ExitStatus>(status);
  }
  return static_cast<ExitStatus>(
      ReportVerdict(arguments, **folder, {run.result, run.session, run.page}, status));
}

/// A selector that matches no rule is reported before anything runs.
Error CheckSelectors(const RunArguments& arguments) {
  const Session nothing;
  Expected<LintResult> result = LintSession(arguments.lint, nothing);
  return result ? Error::success() : result.takeError();
}

Expected<ExitStatus> RunRun(const CommandLine& line, RunArguments& arguments) {
  LintOptions& lint = arguments.lint;
  // Its exit status is that of CMD, unless the command line says otherwise.
  if (Error error = ApplyLintSettings(line, &lint.select, &lint.ignore, nullptr)) return error;
  if (Error error = CheckSelectors(arguments)) return error;
  if (Error error = MakeRedactor(arguments.redact)) return error;
  if (arguments.redact.is_redacted && arguments.is_live) {
    return MakeError("--redact cannot be combined with --live: it requires the complete run");
  }
  arguments.lint.read.redactor = arguments.redact.redactor.get();
  // Phases are only needed for timelines, and use memory.
  arguments.lint.read.keep_phases = arguments.format == "perfetto";
  arguments.lint.read.guard_texts = arguments.IsPage();
  return RunProgramAndReport(arguments);
}

void AddRun(CommandLine& line, RunArguments& arguments) {
  line.Add("CMD", &arguments.command, "", "The command and its arguments, after --",
           {.is_required = true});
  line.Add("--folder", &arguments.folder, "DIR",
           "Folder for the recording [default: shapewise-runs/<date>-<time>-<pid>]");
  line.AddFlag("--live", &arguments.is_live, "Print each new cause on stderr when it appears");
  line.AddFlag("--quiet", &arguments.is_quiet, "Record only: no verdict");
  line.AddFlag(
      "--no-probe", &arguments.is_probing,
      "Do not trace compiled functions again at the end; predict and advise use the traces",
      /*set_to=*/false);
  AddRuleList(line, "--select", arguments.lint.select, "Select rules by code, code prefix or name");
  AddRuleList(line, "--ignore", arguments.lint.ignore, "Ignore these rules");
  line.Add("--max-disk", &arguments.max_disk, "SIZE",
           "Limit for logs and traces, such as 500M or 2G [default: 2G]", {.check = Bytes()});
  AddResultOptions(
      line,
      {.formats = FormatNames(LintFormats()),
       .all = "text: list all causes",
       .fail_on = "Exit with 1 if CMD succeeds and there is a finding of at least this severity",
       .output = "Write the report to a file instead of stderr"},
      arguments);
}

}  // namespace

const Command kRunCommand = {1, "run", "Run a program, record it, and summarize the run",
                             Prepare<RunArguments, AddRun, RunRun>};

}  // namespace shapewise
