#include "cli/tune_runner.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "cli/result_output.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/run_inputs.h"
#include "result/number_text.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

namespace fs = llvm::sys::fs;

constexpr const char* kOutput = "/output";
constexpr const char* kFigures = "/figures";
constexpr int kPauseMs = 50;
constexpr double kStartUp = 10;       // limit until the first call, as a multiple of --seconds ...
constexpr double kLeastStartUp = 60;  // ... and at least this many seconds
constexpr double kLeastGrace = 10;    // tolerance in seconds for the time of a run
constexpr double kGraceOfCompiling = 10;  // tolerance factor if kernels are compiled
constexpr double kSecondsToEnd = 5;       // seconds between a request to end and force

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The standard input of runs: ours if it is a file, which each run then reads from its start. By
/// our process id: a run's own descriptor is closed before it opens this.
std::string InputOfRuns() {
  struct stat input = {};
  const bool is_file = fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
  return is_file ? "/proc/" + std::to_string(getpid()) + "/fd/0" : "/dev/null";
}

std::string LastLine(const std::string& path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return {};
  const llvm::StringRef text = (*buffer)->getBuffer().rtrim();
  return MakePrintable(text.substr(text.rfind('\n') + 1).take_front(400).str());
}

std::vector<std::string> FilesIn(const std::string& folder, std::string_view suffix) {
  std::vector<std::string> paths;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code)) {
    if (std::string_view(it->path()).ends_with(suffix)) paths.push_back(it->path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

Expected<std::unique_ptr<ProcessGroup>> ProcessGroup::Start(const SpawnCall& call) {
  std::unique_ptr<ProcessGroup> group(new ProcessGroup());
  const int error = Spawn(call, group->process_);
  if (error != 0) {
    group->process_ = 0;
    return MakeError("cannot start " + call.program + ": " +
                     std::strerror(error));  // NOLINT(concurrency-mt-unsafe)
  }
  return group;
}

ProcessGroup::~ProcessGroup() {
  if (process_ == 0 || status_) return;
  Signal(SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<int> ProcessGroup::Poll() {
  if (status_) return status_;
  status_ = StatusIfEnded(process_);
  if (status_) Signal(SIGKILL);
  return status_;
}

void ProcessGroup::Signal(int signal) const { kill(-process_, signal); }

std::string TuneRunner::WorkFolderOf(const Active& active) {
  return active.folder->path() + "/.tune";  // hidden from readers of the run
}

std::string TuneRunner::OutputOf(const TuneTask& task, const std::string& suffix) const {
  return folder_ + kOutput + "/" + task.name + suffix;
}

Expected<TuneRunner::Active> TuneRunner::Start(const TuneTask& task, size_t number) {
  Active active;
  active.task = number;
  Expected<std::unique_ptr<RunFolder>> folder = RunFolder::Make(folder_ + "/" + task.name);
  if (!folder) return folder.takeError();
  active.folder = std::move(*folder);
  const std::string work = WorkFolderOf(active);
  for (const std::string& made : {work, folder_ + kOutput}) {
    if (const std::error_code code = fs::create_directories(made)) {
      return MakeError("cannot make the folder " + made + ": " + code.message());
    }
  }
  std::vector<std::pair<std::string, std::string>> patches;
  const auto write = [](const std::string& file, const std::string& text) {
    return WriteResult(file, [&](llvm::raw_ostream& out) { out << text; });
  };
  if (task.action != nullptr) {
    for (const TunePatch& patch : task.action->patches) {
      const std::string file = work + "/patched-" + std::to_string(patches.size()) + ".py";
      if (Error error = write(file, patch.text)) return error;
      patches.emplace_back(patch.path, file);
    }
  }
  TuneLimits limits = task.limits;
  limits.parent = getpid();
  const std::string job = work + "/job.json";
  if (Error error = write(job, TuneJobText(task.action, limits, work + kFigures, patches))) {
    return error;
  }
  SpawnCall call{program_,
                 command_,
                 active.folder->Variables(max_disk),
                 {InputOfRuns(), OutputOf(task, ".out"), OutputOf(task, ".err")},
                 /*has_own_group=*/true};
  call.variables.emplace_back("SHAPEWISE_TUNE", job);
  if (limits.backend.empty()) {  // each run compiles everything itself
    call.variables.emplace_back("TORCHINDUCTOR_CACHE_DIR", work + "/cache");
    call.variables.emplace_back("TRITON_CACHE_DIR", work + "/cache/triton");
  }
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  if (jobs > 1 && std::getenv("OMP_NUM_THREADS") == nullptr) {  // NOLINT(concurrency-mt-unsafe)
    call.variables.emplace_back("OMP_NUM_THREADS", std::to_string(std::max(1U, cores / jobs)));
  }
  Expected<std::unique_ptr<ProcessGroup>> group = ProcessGroup::Start(call);
  if (!group) return group.takeError();
  active.group = std::move(*group);
  active.begin = std::chrono::steady_clock::now();
  return active;
}

void TuneRunner::EndIfLate(const TuneTask& task, Active& active) const {
  if (!active.end) {
    const double scale = task.limits.backend.empty() ? kGraceOfCompiling : 1;
    const double seconds = task.limits.seconds;
    if (!active.calls_began && fs::exists(WorkFolderOf(active) + kFigures)) {
      active.calls_began = std::chrono::steady_clock::now();
    }
    const bool is_late =
        active.calls_began
            ? SecondsSince(*active.calls_began) > seconds + scale * std::max(kLeastGrace, seconds)
            : SecondsSince(active.begin) > std::max(kLeastStartUp, kStartUp * seconds);
    if (interrupt_.is_interrupted()) {
      active.end = TuneEnd::kInterrupted;
    } else if (is_late) {
      active.end = TuneEnd::kTimeout;
    } else {
      return;
    }
    active.asked = std::chrono::steady_clock::now();
    active.group->Signal(SIGTERM);
  } else if (SecondsSince(active.asked) > kSecondsToEnd) {
    active.group->Signal(SIGKILL);
  }
}

TuneObservation TuneRunner::Finish(const TuneTask& task, Active& active, int status) const {
  const std::string work = WorkFolderOf(active);
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  TuneObservation observed =
      ReadTuneRun(FilesIn(work + kFigures, ".json"), OutputOf(task, ".out"), *files);
  TuneRun& run = observed.run;
  run.folder = active.folder->name();
  run.status = status;
  if (active.end) {
    run.end = *active.end;
  } else {
    WriteRunEnd(active.folder->path(), status);
  }
  if (run.HasFailed() && run.error.empty()) run.error = LastLine(OutputOf(task, ".err"));
  (void)fs::remove_directories(work + "/cache");
  return observed;
}

void TuneRunner::PrintProgress(const TuneTask& task, const TuneRun& run, size_t left) {
  ++finished_;
  seconds_ += run.run_seconds;
  if (is_quiet) return;
  std::string text = task.name;
  if (task.action != nullptr && shows_actions) text += ": " + task.action->policy;
  text += ": " + TuneCountsText(run) + " in " + SecondsText(run.run_seconds);
  const double to_come = static_cast<double>(left + runs_to_come);
  const double seconds = seconds_ / static_cast<double>(finished_) * std::ceil(to_come / jobs);
  if (to_come > 0) text += "; about " + std::to_string(std::llround(seconds)) + " s left";
  llvm::errs() << "shapewise: " << MakePrintable(text) << "\n";
}

Expected<std::vector<std::optional<TuneObservation>>> TuneRunner::Run(
    const std::vector<TuneTask>& tasks) {
  std::vector<std::optional<TuneObservation>> observed(tasks.size());
  std::vector<Active> running;
  size_t next = 0;
  while (next < tasks.size() || !running.empty()) {
    while (next < tasks.size() && running.size() < jobs && !interrupt_.is_interrupted()) {
      Expected<Active> active = Start(tasks[next], next);
      if (!active) return active.takeError();
      running.push_back(std::move(*active));
      ++next;
    }
    if (interrupt_.is_interrupted() && running.empty()) break;
    poll(nullptr, 0, kPauseMs);
    for (size_t i = 0; i < running.size();) {
      Active& active = running[i];
      const TuneTask& task = tasks[active.task];
      const std::optional<int> status = active.group->Poll();
      if (!status) {
        EndIfLate(task, active);
        ++i;
        continue;
      }
      TuneObservation done = Finish(task, active, *status);
      done.run.run_seconds = SecondsSince(active.begin);
      PrintProgress(task, done.run, tasks.size() - next + running.size() - 1);
      observed[active.task] = std::move(done);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return observed;
}

}  // namespace shapewise
