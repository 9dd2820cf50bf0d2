#include "cli/process_group.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/child_program.h"

namespace shapewise {
namespace {

constexpr mode_t kMode = 0666;

}  // namespace

Expected<std::unique_ptr<ProcessGroup>> ProcessGroup::Start(const GroupCall& call) {
  std::vector<std::string> arguments = call.arguments;
  std::vector<std::string> environment = EnvironmentWith(call.variables);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);  // which we ignore ourselves
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, call.input.c_str(), O_RDONLY, 0);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, call.output.c_str(), flags, kMode);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, call.errors.c_str(), flags, kMode);
  std::unique_ptr<ProcessGroup> group(new ProcessGroup());
  const int error = posix_spawn(&group->process_, call.program.c_str(), &files, &attributes,
                                PointersTo(arguments).data(), PointersTo(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    group->process_ = 0;
    return MakeError("cannot start " + call.program + ": " +
                     std::strerror(error));  // NOLINT(concurrency-mt-unsafe)
  }
  return group;
}

ProcessGroup::~ProcessGroup() {
  if (process_ == 0 || status_) return;
  Signal(SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<int> ProcessGroup::Poll() {
  if (status_) return status_;
  int wait_status = 0;
  const pid_t done = waitpid(process_, &wait_status, WNOHANG);
  if (done == 0 || (done < 0 && errno == EINTR)) return std::nullopt;
  Signal(SIGKILL);
  constexpr int kSignalled = 128;
  status_ = done < 0                   ? kSignalled
            : WIFSIGNALED(wait_status) ? kSignalled + WTERMSIG(wait_status)
                                       : WEXITSTATUS(wait_status);
  return status_;
}

void ProcessGroup::Signal(int signal) const { kill(-process_, signal); }

}  // namespace shapewise
