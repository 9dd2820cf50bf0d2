// The programs that run things for `replay` and `advise --replay`, and the folder they work in.

#ifndef SHAPEWISE_CLI_REPLAY_PROGRAMS_H_
#define SHAPEWISE_CLI_REPLAY_PROGRAMS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/child_program.h"
#include "shapewise/pipeline/measure_curve.h"
#include "shapewise/pipeline/replay.h"
#include "shapewise/support/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// Where the programs are, and what is kept of their work: options of the command line.
struct ReplayProgramOptions {
  std::string python;          ///< --python; empty: $VIRTUAL_ENV, else our own, else python3
  std::string package;         ///< --package: the folder that holds the package shapewise
  std::string replay_program;  ///< --replay-program; empty: beside this program, else in PATH
  std::string keep;            ///< --keep: the folder to work in; empty: a temporary one
  bool is_silent = false;      ///< what they write to stderr goes nowhere
};

/// What is common to the commands that run policies.
void AddReplayOptions(CLI::App& app, ReplayOptions& replay, ReplayProgramOptions& programs);

/// Graph number `graph` of `graphs` as shapewise.program/1.
std::string GraphProgramOf(const GraphSet& graphs, size_t graph);

/// A folder that goes away with this, unless it was given.
class WorkFolder {
 public:
  /// Error: it cannot be made.
  static Expected<std::unique_ptr<WorkFolder>> Make(const std::string& keep);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }  ///< absolute
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }
  /// Error: not all could be written.
  Error Write(const std::vector<ReplayFile>& files) const;

 private:
  WorkFolder() = default;
  std::string path_;
  bool is_kept_ = false;
};

/// Makes the paths of `options` absolute and sets its folder: programs may run elsewhere.
void PlaceIn(const WorkFolder& folder, ReplayOptions& options);

/// Runs the job of `run` with torch.compile, and reads and judges what came back. Error: no Python,
/// no torch, no package, or it could not work; it says what is missing and how to get it.
Error RunPolicies(const ReplayProgramOptions& programs, const ReplayOptions& options,
                  const WorkFolder& folder, ReplayRun& run);

/// Starts what times sizes of `run`, shapewise-replay for a graph and Python for a callable, and
/// measures its curve. Error: there is no such program, or it could not work.
Error RunCurve(const ReplayProgramOptions& programs, const CurveOptions& options,
               const ReplayOptions& replay, const WorkFolder& folder, CurveRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_REPLAY_PROGRAMS_H_
