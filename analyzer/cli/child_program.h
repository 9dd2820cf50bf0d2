// Other programs that this one starts: found, started without a shell, and ended with it.

#ifndef SHAPEWISE_CLI_CHILD_PROGRAM_H_
#define SHAPEWISE_CLI_CHILD_PROGRAM_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/Support/Program.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// What to start, and how.
struct ProgramCall {
  std::string program;                 ///< a path
  std::vector<std::string> arguments;  ///< without the name of the program
  /// Variables that are set, or changed, in its environment.
  std::vector<std::pair<std::string, std::string>> variables;
  /// Where what it prints goes: a path; empty: nowhere. Its stderr is ours.
  std::string output;
  bool is_silent = false;  ///< its stderr goes nowhere
};

/// Passes signals that would end this program on to the one that it has started, so that none is
/// left behind; what is in hand is then cleared away as usual. One at a time.
class SignalsPassedOn {
 public:
  SignalsPassedOn();
  ~SignalsPassedOn();
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

  /// The program to which they go; 0: none.
  static void SetTarget(llvm::sys::procid_t program);
  /// The signal that came; 0: none.
  static int Caught();
};

/// Runs it to its end. Returns its exit status; -2: a signal or crash ended it. Error: it cannot be
/// started.
Expected<int> RunProgram(const ProgramCall& call);

/// A program that answers a line with a line.
class LineProgram {
 public:
  /// Starts it; `call.output` is not looked at. Error: it cannot be started.
  static Expected<std::unique_ptr<LineProgram>> Start(const ProgramCall& call);
  ~LineProgram();  ///< as Finish()
  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;

  /// Writes `line`, which has no end of line. Error: it has gone away.
  Error Write(const std::string& line);
  /// The next line that it prints. Error: it has gone away, the line is absurdly long, or does not
  /// come within `seconds`.
  Expected<std::string> Read(double seconds);
  /// Asks it to end at once: it does not answer.
  void Stop();
  /// Closes its input and waits for its end, which comes by force if it takes its time. Its exit
  /// status; -2: a signal, a crash or force ended it.
  int Finish();

 private:
  LineProgram() = default;

  llvm::sys::ProcessInfo process_;
  int to_ = -1;    // written by us
  int from_ = -1;  // read by us
  std::string unread_;
  bool is_over_ = false;
};

/// The program called `name`, a path or a word looked for in PATH. Error: there is none.
Expected<std::string> FindProgram(const std::string& name);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHILD_PROGRAM_H_
