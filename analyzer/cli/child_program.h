// Finds, starts and ends child processes, without a shell.

#ifndef SHAPEWISE_CLI_CHILD_PROGRAM_H_
#define SHAPEWISE_CLI_CHILD_PROGRAM_H_

#include <sys/types.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"

namespace shapewise {

/// A program and how to start it.
struct ProgramCall {
  std::string program;                 ///< a path
  std::vector<std::string> arguments;  ///< without the name of the program
  /// Variables to set in its environment.
  std::vector<std::pair<std::string, std::string>> variables;
  /// Path for its standard output; empty: discarded. Its stderr is ours.
  std::string output;
  bool is_silent = false;  ///< discard its stderr
};

/// Forwards signals that would end this program to its child, so that no child is left behind; then
/// our own clean-up runs as usual. Ignored signals stay ignored. Only one at a time.
class SignalsPassedOn {
 public:
  SignalsPassedOn();
  ~SignalsPassedOn();
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

  /// Sets the child that receives signals, also an earlier one; 0: none.
  static void SetTarget(pid_t program);
  /// The signal received; 0: none.
  static int Caught();
};

/// Runs the program to its end. Returns its exit status as in a shell. Error: it cannot be started.
Expected<int> RunProgram(const ProgramCall& call);

/// A program that answers each line with a line.
class LineProgram {
 public:
  /// Starts it; `call.output` is ignored. Error: it cannot be started.
  static Expected<std::unique_ptr<LineProgram>> Start(const ProgramCall& call);
  /// Closes its input and waits for its end, by force if it takes too long.
  ~LineProgram();
  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;

  /// Writes `line`, without a line end. Error: the program has ended.
  Error Write(const std::string& line);
  /// Reads the next line. Error: the program has ended, the line is too long, or none arrives
  /// within `seconds`.
  Expected<std::string> Read(double seconds);
  /// Terminates it at once, because it does not answer.
  void Stop();

 private:
  LineProgram() = default;

  pid_t process_ = 0;
  int to_ = -1;    // written by us
  int from_ = -1;  // read by us
  std::string unread_;
};

/// The program called `name`: a path, or a word to look up in PATH. Error: not found.
Expected<std::string> FindProgram(const std::string& name);

/// A program that runs in our environment.
struct SpawnCall {
  std::string program;                                         ///< a path
  std::vector<std::string> arguments;                          ///< the first is its name
  std::vector<std::pair<std::string, std::string>> variables;  ///< set in its environment
  /// Paths for its standard input, output and errors; empty: ours.
  std::array<std::string, 3> streams = {};
  /// It has a process group of its own, so that terminal signals do not reach it.
  bool has_own_group = false;
};

/// Starts it. Signals that only this program ignores are not ignored there. Returns an error
/// number; 0: success.
int Spawn(const SpawnCall& call, pid_t& process);

/// The exit status of a child as in a shell: 128 + N if signal N ended it. Absent: still running.
std::optional<int> StatusIfEnded(pid_t process);

/// Why a program could not be started.
struct StartFailure {
  int status = 0;  ///< as in a shell: 127 not found, 126 not executable
  std::string message;
};

/// One at a time. While it exists, signals that would end us are forwarded to the program; signals
/// from a terminal have already reached it.
class PassedThrough {
 public:
  /// Absent: success.
  std::optional<StartFailure> Start(const SpawnCall& call);

  /// Waits for its end. Returns its exit status as in a shell: 128 + N if signal N ended it.
  int Wait();

  /// Like Wait(), up to a time limit; absent: still running.
  std::optional<int> WaitFor(std::chrono::milliseconds time);

 private:
  const SignalsPassedOn signals_;
  pid_t process_ = 0;
};

/// Finds `command`, in PATH if it is a word.
std::optional<StartFailure> FindCommand(const std::string& command, std::string& program);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHILD_PROGRAM_H_
