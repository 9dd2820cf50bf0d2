// The folder of one run under `shapewise run`: what is put there before, and found there after.

#ifndef SHAPEWISE_CLI_RUN_FOLDER_H_
#define SHAPEWISE_CLI_RUN_FOLDER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What the processes of a run told of themselves.
struct RunProcesses {
  uint64_t with_torch = 0;      ///< in which the start-up hook saw torch
  uint64_t traces_without = 0;  ///< traces of processes in which it did not run
  uint64_t dropped_bytes = 0;   ///< of logs and traces, for want of room
  /// Why a process logged or recorded no longer, or never did; one clause each, ascending.
  std::vector<std::string> troubles;
};

/// "shapewise-runs/20260131-174502-4242": the name of a new folder.
std::string NewRunName();

/// A folder with the layout of analyzer/docs/run.md.
class RunFolder {
 public:
  /// Makes the folder and puts the start-up hook there. `given` empty: a new one below
  /// shapewise-runs. Error: it cannot be made or written to, or holds a run already.
  static Expected<std::unique_ptr<RunFolder>> Make(const std::string& given);

  /// As the user would name it.
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }  ///< absolute
  std::string CallsFolder() const;
  std::string ProbesFolder() const;  ///< absolute; probes make it

  /// Variables that the run has beside ours. `max_disk`: bytes that logs and traces may have.
  std::vector<std::pair<std::string, std::string>> Variables(uint64_t max_disk) const;

  /// Logs and traces of the run as they lie there now, in byte order of their paths; without the
  /// older files that newer ones took the place of.
  std::vector<std::string> Files() const;

  /// Records of calls as they lie there now, in byte order of their paths.
  std::vector<std::string> Records() const;

  RunProcesses ReadProcesses() const;

 private:
  RunFolder() = default;
  Error Prepare();

  std::string name_;
  std::string path_;        // absolute
  std::string user_trace_;  // TORCH_TRACE of the user; empty: traces are in the folder
  std::chrono::system_clock::time_point begin_;
};

/// The files of the disk; one that was begun anew (FILE and FILE.1) is read as one.
std::unique_ptr<FileSource> NewRunFileSource();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_RUN_FOLDER_H_
