// Runs programs next to this one, with their output in files, and ends them with all of their
// children.

#ifndef SHAPEWISE_CLI_PROCESS_GROUP_H_
#define SHAPEWISE_CLI_PROCESS_GROUP_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"

namespace shapewise {

/// A program, and paths for its streams.
struct GroupCall {
  std::string program;                                         ///< a path
  std::vector<std::string> arguments;                          ///< the first is its name
  std::vector<std::pair<std::string, std::string>> variables;  ///< set in its environment
  std::string input;                                           ///< a path
  std::string output;                                          ///< a path; the file is created
  std::string errors;
};

/// A program in its own process group, so that terminal signals do not reach it.
class ProcessGroup {
 public:
  /// Error: it cannot be started.
  static Expected<std::unique_ptr<ProcessGroup>> Start(const GroupCall& call);
  ~ProcessGroup();  ///< terminates it, unless it has ended
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// The exit status as in a shell, after the program has ended; then ends its children. Absent:
  /// still running.
  std::optional<int> Poll();
  /// Sends a signal to the whole group.
  void Signal(int signal) const;

 private:
  ProcessGroup() = default;

  pid_t process_ = 0;
  std::optional<int> status_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_PROCESS_GROUP_H_
