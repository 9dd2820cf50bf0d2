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
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

// NOLINTNEXTLINE(readability-identifier-naming,readability-redundant-declaration): not everywhere
extern char** environ;

namespace shapewise {
namespace {

using llvm::StringRef;

#if LLVM_VERSION_MAJOR >= 16
using Redirect = std::optional<StringRef>;
#else
using Redirect = llvm::Optional<StringRef>;
#endif

constexpr size_t kMostLine = size_t{1} << 20;
// A child may need time to end its own children.
constexpr unsigned kSecondsToEnd = 20;
constexpr double kMostSeconds = 1e8;
constexpr int64_t kMostWait = 3'600'000;  // maximum milliseconds of one wait

// All signals that end a program, and two that programs use for their own purposes.
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::atomic<llvm::sys::procid_t> signal_target{0};
std::atomic<int> signal_caught{0};
std::atomic<int> early_signal{0};  // received before the program was started
std::array<struct sigaction, kSignals.size()> actions_before;

void PassOn(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  signal_caught = signal;
  // A signal from a terminal goes to all programs of its foreground group, including the child.
  const bool is_from_terminal = info != nullptr && info->si_code > 0;
  if (const llvm::sys::procid_t target = signal_target; target <= 0) {
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

/// Starts the program. `input`, `output`: paths for its stdin and stdout; empty: none.
Expected<llvm::sys::ProcessInfo> Launch(const ProgramCall& call, StringRef input,
                                        StringRef output) {
  std::vector<StringRef> arguments = {call.program};
  arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
  const std::vector<std::string> environment = EnvironmentWith(call.variables);
  const std::vector<StringRef> entries(environment.begin(), environment.end());
  const Redirect errors = call.is_silent ? Redirect(StringRef()) : Redirect();
  const Redirect redirects[] = {input, output, errors};
  std::string message;
  bool has_failed = false;
  const llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      call.program, arguments, llvm::ArrayRef<StringRef>(entries), redirects,
      /*MemoryLimit=*/0, &message, &has_failed);
  if (has_failed || process.Pid == llvm::sys::ProcessInfo::InvalidPid) {
    return MakeError("cannot start " + call.program + ": " + message);
  }
  SignalsPassedOn::SetTarget(process.Pid);
  return process;
}

/// Waits for its end. `seconds`: kill it after this time; 0: no limit.
int WaitFor(const llvm::sys::ProcessInfo& process, unsigned seconds = 0) {
#if LLVM_VERSION_MAJOR >= 16
  const std::optional<unsigned> limit = seconds > 0 ? std::optional(seconds) : std::nullopt;
  const llvm::sys::ProcessInfo done = llvm::sys::Wait(process, limit);
#else
  const llvm::sys::ProcessInfo done =
      llvm::sys::Wait(process, seconds, /*WaitUntilTerminates=*/seconds == 0);
#endif
  SignalsPassedOn::SetTarget(0);
  return done.ReturnCode;
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

void Nothing(int) {}  // interrupts a wait

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

void SignalsPassedOn::SetTarget(llvm::sys::procid_t program) {
  signal_target = program;
  if (program == 0) return;
  if (const int signal = early_signal.exchange(0); signal != 0) kill(program, signal);
}

int SignalsPassedOn::Caught() { return signal_caught; }

Expected<int> RunProgram(const ProgramCall& call) {
  Expected<llvm::sys::ProcessInfo> process = Launch(call, "", call.output);
  if (!process) return process.takeError();
  return WaitFor(*process);
}

Expected<std::unique_ptr<LineProgram>> LineProgram::Start(const ProgramCall& call) {
  Expected<std::array<int, 2>> requests = OpenPipe();
  if (!requests) return requests.takeError();
  Expected<std::array<int, 2>> answers = OpenPipe();
  if (!answers) {
    for (int& end : *requests) Close(end);
    return answers.takeError();
  }
  Expected<llvm::sys::ProcessInfo> process =
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

LineProgram::~LineProgram() { Finish(); }

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

void LineProgram::Stop() {
  if (!is_over_) kill(process_.Pid, SIGTERM);
}

int LineProgram::Finish() {
  if (is_over_) return process_.ReturnCode;
  is_over_ = true;
  Close(to_);
  Close(from_);
  process_.ReturnCode = WaitFor(process_, kSecondsToEnd);
  return process_.ReturnCode;
}

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
  const int group = call.streams ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGDEF | group));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (call.streams) {
    const auto& [input, output, errors] = *call.streams;
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), flags, kMode);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors.c_str(), flags, kMode);
  }
  const int error = posix_spawn(&process, call.program.c_str(), &files, &attributes,
                                PointersTo(arguments).data(), PointersTo(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int ShellStatusOf(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
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
