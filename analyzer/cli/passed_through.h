// Runs a program transparently: with our stdin, stdout, stderr, signals and exit status.

#ifndef SHAPEWISE_CLI_PASSED_THROUGH_H_
#define SHAPEWISE_CLI_PASSED_THROUGH_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/child_program.h"

namespace shapewise {

/// Why a program could not be started.
struct StartFailure {
  int status = 0;  ///< as in a shell: 127 not found, 126 not executable
  std::string message;
};

/// One at a time. While it exists, signals that would end us are forwarded to the program; signals
/// from a terminal have already reached it.
class PassedThrough {
 public:
  /// Starts `program`, a path, with `arguments` (the first is its name) in our environment with
  /// `variables` set. Absent: success.
  std::optional<StartFailure> Start(
      const std::string& program, const std::vector<std::string>& arguments,
      const std::vector<std::pair<std::string, std::string>>& variables);

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

#endif  // SHAPEWISE_CLI_PASSED_THROUGH_H_
