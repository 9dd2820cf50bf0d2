// Runs the program of `tune` several times, possibly in parallel.

#ifndef SHAPEWISE_CLI_TUNE_RUNNER_H_
#define SHAPEWISE_CLI_TUNE_RUNNER_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/result_output.h"
#include "cli/child_program.h"
#include "cli/run_folder.h"
#include "pipeline/tune.h"
#include "support/error.h"

namespace shapewise {

/// A program in its own process group: its call has streams.
class ProcessGroup {
 public:
  /// Error: it cannot be started.
  static Expected<std::unique_ptr<ProcessGroup>> Start(const SpawnCall& call);
  ~ProcessGroup();  ///< terminates it, unless it has ended
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// The exit status as in a shell, after the program has ended; then ends its children. Absent:
  /// still running.
  std::optional<int> Poll();
  /// Sends a signal to the whole group.
  void Signal(int signal) const;

 private:
  ProcessGroup() = default;

  pid_t process_ = 0;
  std::optional<int> status_;
};

/// A run to make.
struct TuneTask {
  std::string name;                     ///< name of its folder: "baseline", "01"
  const TunedAction* action = nullptr;  ///< null: the unchanged program
  TuneLimits limits;
};

/// Starts runs, monitors them, and reads their results.
class TuneRunner {
 public:
  /// `program`: path of `command`'s program. `folder`: contains the folders of runs.
  TuneRunner(std::string program, std::vector<std::string> command, std::string folder)
      : program_(std::move(program)), command_(std::move(command)), folder_(std::move(folder)) {}

  unsigned jobs = 1;          ///< parallel runs
  uint64_t max_disk = 0;      ///< limit in bytes for logs and traces of one run
  uint64_t runs_to_come = 0;  ///< further runs, to estimate the remaining time
  bool is_quiet = false;      ///< no progress on stderr
  bool shows_actions = true;  ///< show actions in the progress line

  /// Makes the runs. Absent elements were not run because the user interrupted. Error: a run cannot
  /// be started.
  Expected<std::vector<std::optional<TuneObservation>>> Run(const std::vector<TuneTask>& tasks);

  bool is_interrupted() const { return interrupt_.is_interrupted(); }

 private:
  struct Active {
    size_t task = 0;
    std::unique_ptr<RunFolder> folder;
    std::unique_ptr<ProcessGroup> group;
    std::chrono::steady_clock::time_point begin;
    // First call of a compiled function.
    std::optional<std::chrono::steady_clock::time_point> calls_began;
    std::optional<TuneEnd> end;                   // our request to end
    std::chrono::steady_clock::time_point asked;  // time of the request
  };

  Expected<Active> Start(const TuneTask& task, size_t number);
  void EndIfLate(const TuneTask& task, Active& active) const;
  TuneObservation Finish(const TuneTask& task, Active& active, int status) const;
  /// The file with the output of a run.
  std::string OutputOf(const TuneTask& task, const std::string& suffix) const;
  static std::string WorkFolderOf(const Active& active);
  void PrintProgress(const TuneTask& task, const TuneRun& run, size_t left);

  const std::string program_;
  const std::vector<std::string> command_;
  const std::string folder_;
  const InterruptGuard interrupt_;
  double seconds_ = 0;  // total of all finished runs
  uint64_t finished_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_TUNE_RUNNER_H_
