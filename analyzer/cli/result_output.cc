#include "cli/result_output.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

namespace fs = llvm::sys::fs;

constexpr size_t kBufferBytes = size_t{1} << 16;

Error WriteError(const std::string& path, std::error_code code) {
  return llvm::createStringError(code, "cannot write %s: %s", path.c_str(), code.message().c_str());
}

/// Prints to an open stream and returns an error if not everything was written.
Error WriteStream(llvm::raw_fd_ostream& stream, const std::string& name,
                  llvm::function_ref<void(llvm::raw_ostream&)> write) {
  stream.SetBufferSize(kBufferBytes);
  write(stream);
  stream.flush();
  if (!stream.has_error()) return Error::success();
  const std::error_code code = stream.error();
  // A stream destroyed with an error would end the program.
  stream.clear_error();
  return WriteError(name, code);
}

Error WriteInPlace(const std::string& path, llvm::function_ref<void(llvm::raw_ostream&)> write) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code, fs::OF_None);
  if (code) return WriteError(path, code);
  return WriteStream(stream, path, write);
}

/// The signals by which users and systems end a program.
constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

/// Delays the signals that end a program, in this thread.
class DelayedSignals {
 public:
  DelayedSignals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int number : kEndingSignals) ::sigaddset(&signals, number);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  DelayedSignals(const DelayedSignals&) = delete;
  DelayedSignals& operator=(const DelayedSignals&) = delete;
  ~DelayedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// A new file that a signal removes. LLVM sets that up only after it has made the file.
Expected<fs::TempFile> CreateTempFile(const std::string& path, unsigned mode) {
  const DelayedSignals delayed;
  return fs::TempFile::create(path + ".%%%%%%.tmp", mode);
}

Error WriteAndRename(const std::string& path, unsigned mode,
                     llvm::function_ref<void(llvm::raw_ostream&)> write) {
  Expected<fs::TempFile> temp = CreateTempFile(path, mode);
  if (!temp) return WriteError(path, llvm::errorToErrorCode(temp.takeError()));
  {
    llvm::raw_fd_ostream stream(temp->FD, /*shouldClose=*/false);
    if (Error error = WriteStream(stream, path, write)) {
      return llvm::joinErrors(std::move(error), temp->discard());
    }
  }
  if (Error error = temp->keep(path)) {
    return WriteError(path, llvm::errorToErrorCode(std::move(error)));
  }
  return Error::success();
}

void PrintError(const std::string& message) {
  llvm::errs() << "shapewise: error: " << MakePrintable(message) << "\n";
}

constexpr uint32_t kDefaultWidth = 100;
constexpr uint32_t kMinWidth = 60;
constexpr uint32_t kMaxWidth = 120;  // longer lines are hard to read

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// Whether drawings are limited to ASCII: on a terminal whose locale (LC_ALL, LC_CTYPE, LANG) is
/// not UTF-8. Files and pipes always receive the same bytes.
bool WantsAscii(bool to_file) {
  if (!ResultIsSeen(to_file)) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const llvm::StringRef locale = Environment(name);
    if (locale.empty()) continue;
    return !locale.contains_insensitive("utf-8") && !locale.contains_insensitive("utf8");
  }
  return true;
}

volatile std::sig_atomic_t noted_interrupt = 0;

void NoteInterrupt(int) { noted_interrupt = 1; }

}  // namespace

bool GoesToFile(const std::string& output) { return !output.empty() && output != "-"; }

void PrepareReport(const std::string& output, const std::string& color, ReportOptions& report) {
  const bool to_file = GoesToFile(output);
  report.tool_version = SHAPEWISE_VERSION;
  report.color = WantsColor(color, to_file);
  report.width = ReportWidth(to_file);
  report.ascii = WantsAscii(to_file);
}

Error WriteResult(const std::string& path, llvm::function_ref<void(llvm::raw_ostream&)> write) {
  if (!GoesToFile(path)) {
    llvm::raw_fd_ostream stream(STDOUT_FILENO, /*shouldClose=*/false);
    return WriteStream(stream, "standard output", write);
  }
  fs::file_status status;
  if (fs::status(path, status)) return WriteAndRename(path, fs::all_read | fs::all_write, write);
  if (status.type() != fs::file_type::regular_file) return WriteInPlace(path, write);
  // Keep links: replace their target.
  llvm::SmallString<256> target;
  if (const std::error_code code = fs::real_path(path, target)) return WriteError(path, code);
  return WriteAndRename(std::string(target), status.permissions(), write);
}

Error WriteCode(const std::string& path, llvm::function_ref<void(llvm::raw_ostream&)> write) {
  if (!ResultIsSeen(GoesToFile(path))) return WriteResult(path, write);
  std::string text;
  llvm::raw_string_ostream lines(text);
  write(lines);
  return WriteResult(path, [&](llvm::raw_ostream& out) { out << MakeLinesPrintable(lines.str()); });
}

void ReportTrouble(Error error) {
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase& info) {
    if (info.convertToErrorCode() == std::errc::broken_pipe) return;
    PrintError(info.message());
  });
}

void ReportUnread(const std::vector<std::string>& messages) {
  for (const std::string& message : messages) PrintError(message);
}

void ReportNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    llvm::errs() << "shapewise: note: " << MakePrintable(note) << "\n";
  }
}

ExitStatus StatusOf(Expected<ExitStatus> status) {
  if (status) return *status;
  ReportTrouble(status.takeError());
  return ExitStatus::kTrouble;
}

void PrintMessages(const Messages& messages) {
  for (const api::Message& message : messages) {
    llvm::errs() << "shapewise: " << llvm::StringRef(api::SeverityName(message.severity)) << ": "
                 << message.text << "\n";
  }
}

bool CheckRecognised(const Session& session, EmptyInputs empty_inputs) {
  Messages messages;
  const bool can_continue = FindUnrecognised(session, empty_inputs, messages);
  PrintMessages(messages);
  return can_continue;
}

bool ReportDamage(const std::vector<RecordFile>& files, const std::string& expected) {
  Messages messages;
  const bool is_usable = FindDamage(files, expected, messages);
  PrintMessages(messages);
  return is_usable;
}

bool WantsColor(std::string_view choice, bool to_file) {
  if (choice != "auto") return choice == "always";
  return ResultIsSeen(to_file) && Environment("NO_COLOR").empty() && Environment("TERM") != "dumb";
}

uint32_t ReportWidth(bool to_file) {
  if (!ResultIsSeen(to_file)) return kDefaultWidth;
  const uint32_t columns = llvm::sys::Process::StandardOutColumns();
  return columns == 0 ? kDefaultWidth : std::clamp(columns, kMinWidth, kMaxWidth);
}

bool ResultIsSeen(bool to_file) {
  return !to_file && llvm::sys::Process::FileDescriptorIsDisplayed(STDOUT_FILENO);
}

bool ErrorsAreSeen() { return llvm::sys::Process::FileDescriptorIsDisplayed(STDERR_FILENO); }

InterruptGuard::InterruptGuard() {
  struct sigaction action{};
  action.sa_handler = NoteInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &before_int_);
  ::sigaction(SIGTERM, &action, &before_term_);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &before_int_, nullptr);
  ::sigaction(SIGTERM, &before_term_, nullptr);
}

bool InterruptGuard::is_interrupted() const { return noted_interrupt != 0; }

}  // namespace shapewise
