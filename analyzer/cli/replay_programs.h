// Runs the helper programs of `replay` and `advise --replay`, and manages their working folder.

#ifndef SHAPEWISE_CLI_REPLAY_PROGRAMS_H_
#define SHAPEWISE_CLI_REPLAY_PROGRAMS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/child_program.h"
#include "cli/command_line.h"
#include "pipeline/measure_curve.h"
#include "pipeline/replay.h"
#include "support/error.h"

namespace shapewise {

/// Where the helper programs are, and what to keep: options of the command line.
struct ReplayProgramOptions {
  std::string python;          ///< --python; empty: $VIRTUAL_ENV, then our own, then python3
  std::string package;         ///< --package: folder that contains the package shapewise
  std::string replay_program;  ///< --replay-program; empty: next to this program, then in PATH
  std::string keep;            ///< --keep: working folder; empty: a temporary one
  bool is_silent = false;      ///< discard their stderr
};

/// Adds the options shared by commands that run policies.
void AddReplayOptions(CommandLine& line, ReplayOptions& replay, ReplayProgramOptions& programs);

/// Graph number `graph` of `graphs` as shapewise.program/1.
std::string GraphProgramOf(const GraphSet& graphs, size_t graph);

/// A folder that is removed at the end, unless the user specified it.
class WorkFolder {
 public:
  /// Error: it cannot be created.
  static Expected<std::unique_ptr<WorkFolder>> Make(const std::string& keep);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }  ///< absolute
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }
  /// Error: not everything could be written.
  Error Write(const std::vector<ReplayFile>& files) const;

 private:
  WorkFolder() = default;
  std::string path_;
  bool is_kept_ = false;
};

/// Makes the paths of `options` absolute and sets its folder, because the programs may run
/// elsewhere.
void PlaceIn(const WorkFolder& folder, ReplayOptions& options);

/// Runs the job of `run` with torch.compile, and evaluates the results. Error: Python, torch or the
/// package is missing, or the run failed; says what is missing and how to install it.
Error RunPolicies(const ReplayProgramOptions& programs, const ReplayOptions& options,
                  const WorkFolder& folder, ReplayRun& run);

/// Starts the program that times sizes of `run`, shapewise-replay for a graph or Python for a
/// callable, and measures the curve. Error: the program is missing, or failed.
Error RunCurve(const ReplayProgramOptions& programs, const CurveOptions& options,
               const ReplayOptions& replay, const WorkFolder& folder, CurveRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_REPLAY_PROGRAMS_H_
