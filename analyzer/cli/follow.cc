#include "cli/follow.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/follow_pace.h"
#include "cli/interrupt_guard.h"
#include "llvm/Support/raw_ostream.h"
#include "report/report.h"
#include "support/growing_file.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

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

}  // namespace

void AddFollowOptions(CommandLine& line, FollowArguments& arguments) {
  line.AddFlag("--follow", &arguments.follow,
               "Keep reading while the logs grow, and print each new cause when it appears");
  line.Add("--alarm", &arguments.alarms, "TEXT",
           "With --follow, warn at this rate, such as '3 recompiles in 100 steps' or '... in 10m'",
           {.list = ListForm::kSingly});
  line.AddFlag("--alarm-exit", &arguments.alarm_exit, "End with exit status 1 at the first alarm");
}

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

}  // namespace shapewise
