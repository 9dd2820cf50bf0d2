// A program that runs as if we were not there: it has our stdin, stdout and stderr, gets our
// signals, and its exit status is ours.

#ifndef SHAPEWISE_CLI_PASSED_THROUGH_H_
#define SHAPEWISE_CLI_PASSED_THROUGH_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shapewise {

/// Why a program could not be started.
struct StartFailure {
  int status = 0;  ///< as a shell says it: 127 there is none, 126 it cannot be run
  std::string message;
};

/// One at a time. While it lives, signals that would end us are the program's; what a terminal
/// sends to all programs of its foreground has reached it already. Ignored signals stay so.
class PassedThrough {
 public:
  PassedThrough();
  ~PassedThrough();
  PassedThrough(const PassedThrough&) = delete;
  PassedThrough& operator=(const PassedThrough&) = delete;

  /// Starts `program`, a path, with `arguments`, the first of which is its name, in our environment
  /// with `variables` set. Absent: it runs.
  std::optional<StartFailure> Start(
      const std::string& program, const std::vector<std::string>& arguments,
      const std::vector<std::pair<std::string, std::string>>& variables);

  /// Waits for its end. Its exit status as a shell tells it: 128 + N if signal N ended it.
  int Wait();

  /// As Wait(), for at most so long; absent: it is still there.
  std::optional<int> WaitFor(std::chrono::milliseconds time);

 private:
  pid_t process_ = 0;
};

/// The path of `command`, looked for in PATH if it is a word.
std::optional<StartFailure> FindCommand(const std::string& command, std::string& program);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_PASSED_THROUGH_H_
