// The folder of one run under `shapewise run`: its preparation, and its content afterwards.

#ifndef SHAPEWISE_CLI_RUN_FOLDER_H_
#define SHAPEWISE_CLI_RUN_FOLDER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// Reports of the processes of a run.
struct RunProcesses {
  uint64_t with_torch = 0;      ///< processes in which the start-up hook saw torch
  uint64_t traces_without = 0;  ///< traces of processes in which it did not run
  uint64_t dropped_bytes = 0;   ///< bytes of logs and traces dropped because of the limit
  /// Why a process stopped or never started logging or recording; one clause each, ascending.
  std::vector<std::string> troubles;
};

/// "shapewise-runs/20260131-174502-4242": a name for a new folder.
std::string NewRunName();

/// A folder with the layout described in analyzer/docs/run.md.
class RunFolder {
 public:
  /// Creates the folder and adds the start-up hook. `given` empty: a new one below shapewise-runs.
  /// Error: it cannot be created or written to, or already contains a run.
  static Expected<std::unique_ptr<RunFolder>> Make(const std::string& given);

  /// The name shown to the user.
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }  ///< absolute
  std::string CallsFolder() const;
  std::string ProbesFolder() const;  ///< absolute; probes make it

  /// Additional variables for the run. `max_disk`: limit in bytes for logs and traces.
  std::vector<std::pair<std::string, std::string>> Variables(uint64_t max_disk) const;

  /// Current logs and traces of the run, in byte order of their paths; rotated older files are
  /// omitted.
  std::vector<std::string> Files() const;

  /// Current call records, in byte order of their paths.
  std::vector<std::string> Records() const;

  RunProcesses ReadProcesses() const;

 private:
  RunFolder() = default;
  Error Prepare();

  std::string name_;
  std::string path_;        // absolute
  std::string user_trace_;  // the user's TORCH_TRACE; empty: traces are in the folder
  std::chrono::system_clock::time_point begin_;
};

/// A disk file source that reads a rotated file (FILE and FILE.1) as one.
std::unique_ptr<FileSource> NewRunFileSource();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_RUN_FOLDER_H_
