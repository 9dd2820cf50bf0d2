// Runs the program of `tune`, several times and several at a time.

#ifndef SHAPEWISE_CLI_TUNE_RUNNER_H_
#define SHAPEWISE_CLI_TUNE_RUNNER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/interrupt_guard.h"
#include "cli/process_group.h"
#include "cli/run_folder.h"
#include "shapewise/pipeline/tune.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// One run to make.
struct TuneTask {
  std::string name;                     ///< of its folder: "baseline", "01"
  const TunedAction* action = nullptr;  ///< null: the unchanged program
  TuneLimits limits;
};

/// Starts runs, watches them and reads what they leave.
class TuneRunner {
 public:
  /// `program`: path of `command`'s program. `folder`: in which runs have their folders.
  TuneRunner(std::string program, std::vector<std::string> command, std::string folder)
      : program_(std::move(program)), command_(std::move(command)), folder_(std::move(folder)) {}

  unsigned jobs = 1;          ///< runs at a time
  uint64_t max_disk = 0;      ///< bytes of logs and traces of one run
  uint64_t runs_to_come = 0;  ///< after these, for the time left
  bool is_quiet = false;      ///< no progress on stderr
  bool shows_actions = true;  ///< progress names actions

  /// Makes the runs. Absent elements were not made, because the user interrupted. Error: a run
  /// cannot be started.
  Expected<std::vector<std::optional<TuneObservation>>> Run(const std::vector<TuneTask>& tasks);

  bool is_interrupted() const { return interrupt_.is_interrupted(); }

 private:
  struct Active {
    size_t task = 0;
    std::unique_ptr<RunFolder> folder;
    std::unique_ptr<ProcessGroup> group;
    std::chrono::steady_clock::time_point begin;
    std::optional<std::chrono::steady_clock::time_point> calls_began;  // of compiled functions
    std::optional<TuneEnd> end;                                        // that we asked for
    std::chrono::steady_clock::time_point asked;                       // when we did
  };

  Expected<Active> Start(const TuneTask& task, size_t number);
  void EndIfLate(const TuneTask& task, Active& active) const;
  TuneObservation Finish(const TuneTask& task, Active& active, int status) const;
  /// The file of what a run printed.
  std::string OutputOf(const TuneTask& task, const std::string& suffix) const;
  static std::string WorkFolderOf(const Active& active);
  void PrintProgress(const TuneTask& task, const TuneRun& run, size_t left);

  const std::string program_;
  const std::vector<std::string> command_;
  const std::string folder_;
  const InterruptGuard interrupt_;
  double seconds_ = 0;  // of all finished runs
  uint64_t finished_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_TUNE_RUNNER_H_
