#include "cli/commands.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/follow_pace.h"
#include "cli/options.h"
#include "cli/result_output.h"
#include "cli/settings.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "partial/partial.h"
#include "pipeline/followed_run.h"
#include "pipeline/lint.h"
#include "pipeline/load_run.h"
#include "report/report.h"
#include "rules/rule_set.h"
#include "support/error.h"
#include "support/growing_file.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

struct FollowArguments {
  bool follow = false;
  std::vector<std::string> alarms;  ///< --alarm, as given
  bool alarm_exit = false;          ///< the first alarm ends following, with exit status 1
};

/// The result of following a run to its end.
struct FollowedToEnd {
  std::unique_ptr<FollowedRun> run;
  LintResult result;
  bool stopped_by_alarm = false;
};

/// The loop that drives a FollowedRun.
class Follower {
 public:
  Follower(FollowedRun& run, const FollowArguments& arguments, bool as_json_lines)
      : run_(run), arguments_(arguments), as_json_lines_(as_json_lines) {}

  Error Run(const std::vector<std::string>& paths);
  bool stopped_by_alarm() const { return stopped_by_alarm_; }

 private:
  /// Reads all inputs; returns whether there was any data.
  Expected<bool> ReadAll();
  bool HaveAllEnded() const;
  Error Look(bool is_quiet);
  void Wait() const;

  FollowedRun& run_;
  const FollowArguments& arguments_;
  const bool as_json_lines_;
  std::vector<std::unique_ptr<GrowingFile>> files_;
  bool stopped_by_alarm_ = false;
};

Expected<bool> Follower::ReadAll() {
  bool has_more = false;
  for (size_t i = 0; i < files_.size(); ++i) {
    Expected<std::string_view> bytes = files_[i]->ReadMore();
    if (!bytes) return bytes.takeError();
    if (bytes->empty()) continue;
    has_more = true;
    run_.Append(i, *bytes);
  }
  return has_more;
}

bool Follower::HaveAllEnded() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const auto& file) { return file->has_ended(); });
}

Error Follower::Look(bool is_quiet) {
  const std::vector<RunNews> news = run_.Update(is_quiet);
  for (const RunNews& item : news) {
    PrintNews(item, as_json_lines_, llvm::outs());
    stopped_by_alarm_ |= arguments_.alarm_exit && item.kind == RunNews::Kind::kAlarm;
  }
  llvm::outs().flush();
  if (!llvm::outs().has_error()) return Error::success();
  const std::error_code code = llvm::outs().error();
  llvm::outs().clear_error();
  return llvm::createStringError(code, "cannot write the output");
}

void Follower::Wait() const {
  // Standard input wakes us up at once; files are polled after a pause.
  const bool has_input = std::any_of(files_.begin(), files_.end(), [](const auto& file) {
    return file->path() == "-" && !file->has_ended();
  });
  pollfd input{STDIN_FILENO, POLLIN, 0};
  ::poll(&input, has_input ? 1 : 0, static_cast<int>(FollowPace::kPause.count()));
}

Error Follower::Run(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    files_.push_back(std::make_unique<GrowingFile>(path));
    run_.AddInput(path);
  }
  const InterruptGuard interrupts;
  FollowPace pace(FollowPace::Clock::now());
  while (!interrupts.is_interrupted() && !stopped_by_alarm_) {
    Expected<bool> has_more = ReadAll();
    if (!has_more) return has_more.takeError();
    const auto now = FollowPace::Clock::now();
    pace.HaveRead(*has_more, now);
    if (pace.IsDue(now)) {
      if (Error error = Look(pace.IsQuiet(now))) return error;
      pace.HaveLooked(now, FollowPace::Clock::now());
    }
    if (HaveAllEnded()) break;
    if (!*has_more) Wait();
  }
  return Error::success();
}

void AddFollowOptions(CommandLine& line, FollowArguments& arguments) {
  line.AddFlag("--follow", &arguments.follow,
               "Keep reading while the logs grow, and print each new cause when it appears");
  line.Add("--alarm", &arguments.alarms, "TEXT",
           "With --follow, warn at this rate, such as '3 recompiles in 100 steps' or '... in 10m'",
           {.list = ListForm::kSingly});
  line.AddFlag("--alarm-exit", &arguments.alarm_exit, "End with exit status 1 at the first alarm");
}

/// Error: contradictory options. `format`: of the result; `output`: its file.
Error CheckFollowOptions(const FollowArguments& arguments, const std::string& format,
                         const std::string& output) {
  if (!arguments.follow) {
    if (!arguments.alarms.empty()) return MakeError("--alarm requires --follow");
    if (arguments.alarm_exit) return MakeError("--alarm-exit requires --follow");
    return Error::success();
  }
  if (format != "text" && format != "jsonl") {
    return MakeError("--follow supports only the formats text and jsonl, not " + format);
  }
  if (!output.empty()) return MakeError("--follow cannot be combined with --output");
  if (arguments.alarm_exit && arguments.alarms.empty()) {
    return MakeError("--alarm-exit requires --alarm");
  }
  return Error::success();
}

/// Follows `options.paths` and prints news to standard output, until SIGINT or SIGTERM, the end of
/// standard input (if nothing else is followed), or an alarm with --alarm-exit. Error: an invalid
/// alarm or selector, an unreadable input, an output error.
Expected<FollowedToEnd> Follow(const FollowArguments& arguments, const LintOptions& options,
                               bool as_json_lines) {
  LintOptions read_options = options;
  std::vector<Alarm> alarms;
  for (const std::string& text : arguments.alarms) {
    Expected<Alarm> alarm = ParseAlarm(text);
    if (!alarm) return alarm.takeError();
    read_options.read.step_prints |= alarm->in_steps;
    alarms.push_back(std::move(*alarm));
  }
  Expected<std::unique_ptr<FollowedRun>> run = FollowedRun::Make(read_options, std::move(alarms));
  if (!run) return run.takeError();
  Follower follower(**run, arguments, as_json_lines);
  if (Error error = follower.Run(options.paths)) return error;
  for (const std::string& gap : (*run)->alarm_gaps()) {
    llvm::errs() << "shapewise: warning: " << MakePrintable(gap) << "\n";
  }
  FollowedToEnd end;
  end.result = (*run)->Finish();
  end.run = std::move(*run);
  end.stopped_by_alarm = follower.stopped_by_alarm();
  return end;
}

/// The command line of `shapewise lint`. Nothing else reads argv.
struct LintArguments : ResultArguments {
  LintOptions lint;              ///< paths, --select, --ignore
  std::string partial;           ///< --partial; empty: none is written
  std::string perfetto;          ///< --perfetto; empty: none
  std::string baseline;          ///< --baseline; empty: none
  bool update_baseline = false;  ///< rewrite the baseline
  bool is_explained = false;     ///< --explain
  FollowArguments follow;        ///< --follow, --alarm, --alarm-exit
};

Error ApplySettings(const CommandLine& line, LintArguments& arguments) {
  Expected<Settings> all = LoadSettingsHere();
  if (!all) return all.takeError();
  ApplySetting(line, "--baseline", all->lint.baseline, arguments.baseline);
  if (Error error = ApplyChoice(line, "lint", "format", FormatNames(LintFormats()),
                                all->lint.format, arguments.format)) {
    return error;
  }
  return ApplyLintSettings(line, &arguments.lint.select, &arguments.lint.ignore, &arguments);
}

/// Saves everything that was read, recognized or not, for `shapewise merge`.
Error SavePartial(const std::string& path, const Session& session) {
  return WriteResult(
      path, [&](llvm::raw_ostream& out) { WritePartial(session, SHAPEWISE_VERSION, out); });
}

/// The causes in the baseline; if it is being rewritten, those of this run.
Expected<std::vector<Finding>> KnownCauses(const LintArguments& arguments) {
  if (arguments.update_baseline && arguments.baseline.empty()) {
    return MakeError("--update-baseline requires --baseline FILE");
  }
  if (arguments.baseline.empty() || arguments.update_baseline) return std::vector<Finding>();
  if (!llvm::sys::fs::exists(arguments.baseline)) {
    return MakeError(arguments.baseline + ": no such file (create it with --update-baseline)");
  }
  return LoadBaseline(arguments.baseline, *NewDiskFileSource());
}

/// Writes the baseline if requested, and suppresses known findings.
Error UseBaseline(const LintArguments& arguments, std::vector<Finding> known, LintResult& result) {
  if (arguments.baseline.empty()) return Error::success();
  if (arguments.update_baseline) {
    if (!result.unread.empty()) {
      return MakeError(arguments.baseline + ": not written, because some inputs could not be read");
    }
    known = result.findings;
    if (Error error = WriteResult(arguments.baseline,
                                  [&](llvm::raw_ostream& out) { WriteBaseline(known, out); })) {
      return error;
    }
  }
  return SuppressKnown(known, arguments.baseline, arguments.lint, result);
}

/// Writes the result to its destination, and problems to stderr.
Expected<ExitStatus> ReportResult(LintArguments& arguments, std::vector<Finding> known,
                                  LintResult& result, const Session& session) {
  ReportUnread(result.unread);
  if (!arguments.partial.empty()) {
    if (Error error = SavePartial(arguments.partial, session)) return error;
  }
  if (!CheckRecognised(session, EmptyInputsFor(arguments.expects_output, result.unread.empty()))) {
    return ExitStatus::kTrouble;
  }
  if (Error error = UseBaseline(arguments, std::move(known), result)) return error;

  PrepareReport(arguments.output, arguments.color, arguments.report);
  if (arguments.is_explained) arguments.report.prose = RuleSet::Builtin().Prose();
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    WriteLint(result, session, arguments.format, arguments.report, out);
  });
  if (!error && !arguments.perfetto.empty()) {
    error = WriteResult(arguments.perfetto, [&](llvm::raw_ostream& out) {
      WriteLint(result, session, "perfetto", arguments.report, out);
    });
  }
  return FinishResult(std::move(error), arguments, result.unread.empty(), WorstOf(result.findings));
}

Expected<ExitStatus> FollowAndReport(LintArguments& arguments, std::vector<Finding> known) {
  const bool as_json_lines = arguments.format == "jsonl";
  Expected<FollowedToEnd> end = Follow(arguments.follow, arguments.lint, as_json_lines);
  if (!end) return end.takeError();
  Expected<ExitStatus> status =
      ReportResult(arguments, std::move(known), end->result, end->run->session());
  if (status && *status == ExitStatus::kClean && end->stopped_by_alarm) {
    return ExitStatus::kFindings;
  }
  return status;
}

/// Makes the redactor for the run, if requested. Error: incompatible with other options.
Error MakeLintRedactor(LintArguments& arguments) {
  if (Error error = MakeRedactor(arguments.redact)) return error;
  if (!arguments.redact.is_redacted) return Error::success();
  if (arguments.follow.follow) {
    return MakeError("--redact cannot be combined with --follow: it requires the complete run");
  }
  if (!arguments.baseline.empty()) {
    return MakeError("--redact cannot be combined with --baseline: causes are matched by name");
  }
  if (!arguments.partial.empty() && !arguments.redact.redactor->has_key()) return PartialNeedsKey();
  return Error::success();
}

Expected<ExitStatus> RunLint(const CommandLine& line, LintArguments& arguments) {
  if (Error error = ApplySettings(line, arguments)) return error;
  if (Error error = CheckFollowOptions(arguments.follow, arguments.format, arguments.output)) {
    return error;
  }
  for (const std::string& path : arguments.lint.paths) {
    // The rule of a misplaced `explain RULE` would only be a file that does not exist.
    if (!arguments.is_explained || llvm::sys::fs::exists(path) ||
        RuleSet::Builtin().FindHead(path) == nullptr) {
      continue;
    }
    return MakeError(path + " is a rule, not a log; its manual: shapewise explain " + path);
  }
  Expected<std::vector<Finding>> known = KnownCauses(arguments);
  if (!known) return known.takeError();

  if (Error error = MakeLintRedactor(arguments)) return error;
  arguments.lint.read.redactor = arguments.redact.redactor.get();
  // Phases are only needed for timelines, and use memory.
  arguments.lint.read.keep_phases = !arguments.perfetto.empty() || arguments.format == "perfetto";
  arguments.lint.read.guard_texts = !arguments.partial.empty() || arguments.format == "html";
  if (arguments.follow.follow) return FollowAndReport(arguments, std::move(*known));

  Session session;
  std::vector<std::string> notes;
  arguments.lint.read.notes = &notes;
  Expected<LintResult> result = Lint(arguments.lint, *NewWatchedFileSource(), session);
  ReportNotes(notes);
  if (!result) return result.takeError();
  return ReportResult(arguments, std::move(*known), *result, session);
}

void AddLint(CommandLine& line, LintArguments& arguments) {
  line.Add("PATH", &arguments.lint.paths, "",
           "Logs: files (also .gz and .zst), folders, or - for standard input",
           {.is_required = true});
  line.AddFlag("--events", &arguments.report.with_events, "json: include every event of the logs");
  line.AddFlag("--explain", &arguments.is_explained,
               "text: explain why each cause is costly and what to do");
  AddFollowOptions(line, arguments.follow);
  line.Add("--partial", &arguments.partial, "FILE",
           "Also save the parsed input for `shapewise merge`",
           {.check = [](const std::string& path) {
             return path == "-" ? "--partial requires a file" : "";
           }});
  line.Add("--perfetto", &arguments.perfetto, "FILE",
           "Also write a timeline of ranks, compilations, findings, steps and stalls for "
           "ui.perfetto.dev");
  line.AddFlag("--steps", &arguments.lint.read.step_prints,
               "Also read step times that the program prints");
  line.Add("--source-root", &arguments.lint.source_root, "DIR",
           "Folder with the source files that the log names");
  AddRuleList(line, "--select", arguments.lint.select, "Select rules by code, code prefix or name");
  AddRuleList(line, "--ignore", arguments.lint.ignore, "Ignore these rules");
  line.Add("--baseline", &arguments.baseline, "FILE",
           "Ignore the causes listed in this baseline file");
  line.AddFlag("--update-baseline", &arguments.update_baseline,
               "Write the causes of this run to the baseline");
  AddResultOptions(line,
                   {.formats = FormatNames(LintFormats()),
                    .all = "text: list all causes, and all fixes of each",
                    .fail_on = "Exit with 1 if there is a finding of at least this severity",
                    .can_expect_output = true},
                   arguments);
}

}  // namespace

const Command kLintCommand = {2, "lint",
                              "Summarize recompilations and graph breaks in a run's logs",
                              Prepare<LintArguments, AddLint, RunLint>};

}  // namespace shapewise
