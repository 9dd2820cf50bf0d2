// Finds, starts and ends child processes, without a shell.

#ifndef SHAPEWISE_CLI_CHILD_PROGRAM_H_
#define SHAPEWISE_CLI_CHILD_PROGRAM_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "llvm/Support/Program.h"
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
  static void SetTarget(llvm::sys::procid_t program);
  /// The signal received; 0: none.
  static int Caught();
};

/// Runs the program to its end. Returns its exit status; -2: ended by a signal or crash. Error: it
/// cannot be started.
Expected<int> RunProgram(const ProgramCall& call);

/// A program that answers each line with a line.
class LineProgram {
 public:
  /// Starts it; `call.output` is ignored. Error: it cannot be started.
  static Expected<std::unique_ptr<LineProgram>> Start(const ProgramCall& call);
  ~LineProgram();  ///< like Finish()
  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;

  /// Writes `line`, without a line end. Error: the program has ended.
  Error Write(const std::string& line);
  /// Reads the next line. Error: the program has ended, the line is too long, or none arrives
  /// within `seconds`.
  Expected<std::string> Read(double seconds);
  /// Terminates it at once, because it does not answer.
  void Stop();
  /// Closes its input and waits for its end, by force if it takes too long. Returns its exit
  /// status; -2: ended by a signal, a crash or force.
  int Finish();

 private:
  LineProgram() = default;

  llvm::sys::ProcessInfo process_;
  int to_ = -1;    // written by us
  int from_ = -1;  // read by us
  std::string unread_;
  bool is_over_ = false;
};

/// The program called `name`: a path, or a word to look up in PATH. Error: not found.
Expected<std::string> FindProgram(const std::string& name);

/// Our environment with `variables` added, in the form of execve.
std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& variables);

/// Pointers to `texts`, as execve takes arguments and variables: a null pointer ends them.
std::vector<char*> PointersTo(std::vector<std::string>& texts);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHILD_PROGRAM_H_
