#include "cli/passed_through.h"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

namespace shapewise {
namespace {

constexpr int kCommandNotFound = 127;
constexpr int kNotRunnable = 126;
constexpr int kSignalled = 128;

void Nothing(int) {}  // interrupts a wait

/// Signals that only this program ignores are not ignored in the program that it starts.
int Spawn(const std::string& program, std::vector<std::string> arguments,
          std::vector<std::string> environment, pid_t& process) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&process, program.c_str(), nullptr, &attributes,
                                PointersTo(arguments).data(), PointersTo(environment).data());
  posix_spawnattr_destroy(&attributes);
  return error;
}

StartFailure Failure(const std::string& command, int error) {
  return {error == ENOENT || error == ENOTDIR ? kCommandNotFound : kNotRunnable,
          command + ": " + std::strerror(error)};  // NOLINT(concurrency-mt-unsafe)
}

int ShellStatusOf(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace

std::optional<StartFailure> PassedThrough::Start(
    const std::string& program, const std::vector<std::string>& arguments,
    const std::vector<std::pair<std::string, std::string>>& variables) {
  const std::vector<std::string> environment = EnvironmentWith(variables);
  int error = Spawn(program, arguments, environment, process_);
  if (error == ENOEXEC) {  // a script without an interpreter line
    std::vector<std::string> through_shell = {"sh", program};
    through_shell.insert(through_shell.end(), arguments.begin() + 1, arguments.end());
    error = Spawn("/bin/sh", through_shell, environment, process_);
  }
  if (error != 0) return Failure(arguments.front(), error);
  SignalsPassedOn::SetTarget(process_);
  return std::nullopt;
}

int PassedThrough::Wait() {
  int wait_status = 0;
  while (waitpid(process_, &wait_status, 0) < 0) {
    if (errno != EINTR) return kNotRunnable;
  }
  SignalsPassedOn::SetTarget(0);
  return ShellStatusOf(wait_status);
}

std::optional<int> PassedThrough::WaitFor(std::chrono::milliseconds time) {
  struct sigaction wake = {};
  struct sigaction before = {};
  wake.sa_handler = Nothing;
  sigaction(SIGCHLD, &wake, &before);
  const auto ended = [&]() -> std::optional<int> {
    int wait_status = 0;
    const pid_t done = waitpid(process_, &wait_status, WNOHANG);
    if (done == 0 || (done < 0 && errno == EINTR)) return std::nullopt;
    SignalsPassedOn::SetTarget(0);
    return done < 0 ? kNotRunnable : ShellStatusOf(wait_status);
  };
  std::optional<int> status = ended();
  if (!status) {
    poll(nullptr, 0, static_cast<int>(time.count()));
    status = ended();
  }
  sigaction(SIGCHLD, &before, nullptr);
  return status;
}

std::optional<StartFailure> FindCommand(const std::string& command, std::string& program) {
  namespace fs = llvm::sys::fs;
  if (command.find('/') != std::string::npos) {
    program = command;
    if (!fs::exists(command)) return Failure(command, ENOENT);
    if (fs::is_directory(command)) return Failure(command, EISDIR);
    if (!fs::can_execute(command)) return Failure(command, EACCES);
    return std::nullopt;
  }
  const llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(command);
  if (!found) return StartFailure{kCommandNotFound, command + ": command not found"};
  program = *found;
  return std::nullopt;
}

}  // namespace shapewise
