#include "cli/child_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <string_view>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

// NOLINTNEXTLINE(readability-identifier-naming,readability-redundant-declaration): not everywhere
extern char** environ;

namespace shapewise {
namespace {

constexpr const char* kNowhere = "/dev/null";
constexpr size_t kMostLine = size_t{1} << 20;
// A child may need time to end its own children.
constexpr int kPausesToEnd = 200;
constexpr std::chrono::milliseconds kPause{100};
constexpr double kMostSeconds = 1e8;
constexpr int64_t kMostWait = 3'600'000;  // maximum milliseconds of one wait

// All signals that end a program, and two that programs use for their own purposes.
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::atomic<pid_t> signal_target{0};
std::atomic<int> signal_caught{0};
std::atomic<int> early_signal{0};  // received before the program was started
std::array<struct sigaction, kSignals.size()> actions_before;

void PassOn(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  signal_caught = signal;
  // A signal from a terminal goes to all programs of its foreground group, including the child.
  const bool is_from_terminal = info != nullptr && info->si_code > 0;
  if (const pid_t target = signal_target; target <= 0) {
    early_signal = signal;
  } else if (!is_from_terminal) {
    kill(target, signal);
  }
  errno = error;
}

/// Our environment with `variables` added, in the form of execve.
std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const bool is_set = std::ranges::any_of(variables, [&](const auto& variable) {
      return text.starts_with(variable.first) &&
             text.substr(variable.first.size()).starts_with('=');
    });
    if (!is_set) environment.emplace_back(text);
  }
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  return environment;
}

/// Pointers to `texts`, as execve takes arguments and variables: a null pointer ends them.
std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts the program. `input`, `output`: paths for its stdin and stdout.
Expected<pid_t> Launch(const ProgramCall& call, const std::string& input,
                       const std::string& output) {
  SpawnCall spawn{call.program,
                  {call.program},
                  call.variables,
                  {input, output, call.is_silent ? kNowhere : ""}};
  spawn.arguments.insert(spawn.arguments.end(), call.arguments.begin(), call.arguments.end());
  pid_t process = 0;
  if (const int error = Spawn(spawn, process); error != 0) {
    return MakeError("cannot start " + call.program + ": " +
                     std::strerror(error));  // NOLINT(concurrency-mt-unsafe)
  }
  SignalsPassedOn::SetTarget(process);
  return process;
}

/// The path by which a child process can open one of our descriptors.
std::string DescriptorPath(int descriptor) { return "/dev/fd/" + std::to_string(descriptor); }

Error SystemError(const std::string& what) {
  return MakeError(what + ": " + std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
}

/// A pipe that children do not inherit: [read, write].
Expected<std::array<int, 2>> OpenPipe() {
  std::array<int, 2> ends = {-1, -1};
  if (pipe(ends.data()) != 0) return SystemError("cannot make a pipe");
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return ends;
}

void Close(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

constexpr int kCommandNotFound = 127;
constexpr int kNotRunnable = 126;
constexpr int kSignalled = 128;
constexpr mode_t kMode = 0666;

int ShellStatusOf(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int WaitForEnd(pid_t process) {
  int wait_status = 0;
  while (waitpid(process, &wait_status, 0) < 0) {
    if (errno != EINTR) return kNotRunnable;
  }
  SignalsPassedOn::SetTarget(0);
  return ShellStatusOf(wait_status);
}

void Nothing(int) {}  // interrupts a wait

/// Like WaitForEnd(), up to a time limit; absent: still running.
std::optional<int> WaitForEnd(pid_t process, std::chrono::milliseconds time) {
  struct sigaction wake = {};
  struct sigaction before = {};
  wake.sa_handler = Nothing;
  sigaction(SIGCHLD, &wake, &before);
  std::optional<int> status = StatusIfEnded(process);
  if (!status) {
    poll(nullptr, 0, static_cast<int>(time.count()));
    status = StatusIfEnded(process);
  }
  sigaction(SIGCHLD, &before, nullptr);
  if (status) SignalsPassedOn::SetTarget(0);
  return status;
}

StartFailure Failure(const std::string& command, int error) {
  return {error == ENOENT || error == ENOTDIR ? kCommandNotFound : kNotRunnable,
          command + ": " + std::strerror(error)};  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

SignalsPassedOn::SignalsPassedOn() {
  signal_target = 0;
  signal_caught = 0;
  early_signal = 0;
  struct sigaction action = {};
  action.sa_sigaction = PassOn;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &actions_before[i]);
    if (actions_before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

SignalsPassedOn::~SignalsPassedOn() {
  signal_target = 0;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_before[i], nullptr);
}

void SignalsPassedOn::SetTarget(pid_t program) {
  signal_target = program;
  if (program == 0) return;
  if (const int signal = early_signal.exchange(0); signal != 0) kill(program, signal);
}

int SignalsPassedOn::Caught() { return signal_caught; }

Expected<int> RunProgram(const ProgramCall& call) {
  Expected<pid_t> process = Launch(call, kNowhere, call.output.empty() ? kNowhere : call.output);
  if (!process) return process.takeError();
  return WaitForEnd(*process);
}

Expected<std::unique_ptr<LineProgram>> LineProgram::Start(const ProgramCall& call) {
  Expected<std::array<int, 2>> requests = OpenPipe();
  if (!requests) return requests.takeError();
  Expected<std::array<int, 2>> answers = OpenPipe();
  if (!answers) {
    for (int& end : *requests) Close(end);
    return answers.takeError();
  }
  Expected<pid_t> process =
      Launch(call, DescriptorPath((*requests)[0]), DescriptorPath((*answers)[1]));
  Close((*requests)[0]);
  Close((*answers)[1]);
  if (!process) {
    Close((*requests)[1]);
    Close((*answers)[0]);
    return process.takeError();
  }
  std::unique_ptr<LineProgram> program(new LineProgram());
  program->process_ = *process;
  program->to_ = (*requests)[1];
  program->from_ = (*answers)[0];
  return program;
}

LineProgram::~LineProgram() {
  Close(to_);
  Close(from_);
  for (int pause = 0; pause < kPausesToEnd; ++pause) {
    if (WaitForEnd(process_, kPause)) return;
  }
  kill(process_, SIGKILL);
  WaitForEnd(process_);
}

Error LineProgram::Write(const std::string& line) {
  const std::string text = line + "\n";
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t done = write(to_, text.data() + written, text.size() - written);
    if (done < 0 && errno == EINTR && SignalsPassedOn::Caught() == 0) continue;
    if (done <= 0) return SystemError("the program has gone away");
    written += static_cast<size_t>(done);
  }
  return Error::success();
}

Expected<std::string> LineProgram::Read(double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end_of_time =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::min(seconds, kMostSeconds)));
  while (true) {
    if (const size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > kMostLine) return MakeError("a line of the program has no end");
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end_of_time - Clock::now()).count();
    pollfd answer = {.fd = from_, .events = POLLIN, .revents = 0};
    const int ready =
        left <= 0 ? 0 : poll(&answer, 1, static_cast<int>(std::min<int64_t>(left, kMostWait)));
    if (ready < 0 && errno == EINTR && SignalsPassedOn::Caught() == 0) continue;
    if (ready < 0) return SystemError("the program cannot be listened to");
    if (ready == 0 && left > 0) continue;
    if (ready == 0) {
      std::ostringstream text;
      text << "the program did not answer within " << seconds << " s";
      return MakeError(text.str());
    }
    std::array<char, 4096> piece;
    const ssize_t count = read(from_, piece.data(), piece.size());
    if (count < 0 && errno == EINTR && SignalsPassedOn::Caught() == 0) continue;
    if (count <= 0) return MakeError("the program ended before it answered");
    unread_.append(piece.data(), static_cast<size_t>(count));
  }
}

void LineProgram::Stop() { kill(process_, SIGTERM); }

Expected<std::string> FindProgram(const std::string& name) {
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name);
  if (!found) return MakeError("no program '" + name + "' is in PATH");
  return *found;
}

int Spawn(const SpawnCall& call, pid_t& process) {
  std::vector<std::string> arguments = call.arguments;
  std::vector<std::string> environment = EnvironmentWith(call.variables);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);  // which we ignore ourselves
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int group = call.has_own_group ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGDEF | group));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (int stream = 0; stream < static_cast<int>(call.streams.size()); ++stream) {
    const std::string& path = call.streams[static_cast<size_t>(stream)];
    const int flags = stream == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    if (path.empty()) continue;
    posix_spawn_file_actions_addopen(&files, stream, path.c_str(), flags, kMode);
  }
  const int error = posix_spawn(&process, call.program.c_str(), &files, &attributes,
                                PointersTo(arguments).data(), PointersTo(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

std::optional<int> StatusIfEnded(pid_t process) {
  int wait_status = 0;
  const pid_t done = waitpid(process, &wait_status, WNOHANG);
  if (done == 0 || (done < 0 && errno == EINTR)) return std::nullopt;
  return done < 0 ? kNotRunnable : ShellStatusOf(wait_status);
}

std::optional<StartFailure> PassedThrough::Start(const SpawnCall& call) {
  int error = Spawn(call, process_);
  if (error == ENOEXEC) {  // a script without an interpreter line
    SpawnCall shell = call;
    shell.program = "/bin/sh";
    shell.arguments.front() = call.program;
    shell.arguments.insert(shell.arguments.begin(), "sh");
    error = Spawn(shell, process_);
  }
  if (error != 0) return Failure(call.arguments.front(), error);
  SignalsPassedOn::SetTarget(process_);
  return std::nullopt;
}

int PassedThrough::Wait() { return WaitForEnd(process_); }

std::optional<int> PassedThrough::WaitFor(std::chrono::milliseconds time) {
  return WaitForEnd(process_, time);
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
