// Programs that run next to this one, with their output in files, and that end with all of their
// children.

#ifndef SHAPEWISE_CLI_PROCESS_GROUP_H_
#define SHAPEWISE_CLI_PROCESS_GROUP_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shapewise/support/error.h"

namespace shapewise {

/// What to start, and where its streams lead.
struct GroupCall {
  std::string program;                                         ///< a path
  std::vector<std::string> arguments;                          ///< the first is its name
  std::vector<std::pair<std::string, std::string>> variables;  ///< set in its environment
  std::string input;                                           ///< a path
  std::string output;                                          ///< likewise; the file is created
  std::string errors;
};

/// A program in a process group of its own: signals of a terminal do not reach it.
class ProcessGroup {
 public:
  /// Error: it cannot be started.
  static Expected<std::unique_ptr<ProcessGroup>> Start(const GroupCall& call);
  ~ProcessGroup();  ///< ends it by force, unless it has ended
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// The exit status as a shell tells it, once the program has ended; its children are then ended,
  /// too. Absent: it runs.
  std::optional<int> Poll();
  /// Sends a signal to all of it.
  void Signal(int signal) const;

 private:
  ProcessGroup() = default;

  pid_t process_ = 0;
  std::optional<int> status_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_PROCESS_GROUP_H_
