#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"

namespace shapewise {
namespace {

constexpr uint32_t kDefaultWidth = 100;
constexpr uint32_t kMinWidth = 60;
constexpr uint32_t kMaxWidth = 120;  // longer lines are hard to read

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

volatile std::sig_atomic_t noted_interrupt = 0;

void NoteInterrupt(int) { noted_interrupt = 1; }

}  // namespace

bool WantsColor(std::string_view choice, bool to_file) {
  if (choice != "auto") return choice == "always";
  return ResultIsSeen(to_file) && Environment("NO_COLOR").empty() && Environment("TERM") != "dumb";
}

uint32_t ReportWidth(bool to_file) {
  if (!ResultIsSeen(to_file)) return kDefaultWidth;
  const uint32_t columns = llvm::sys::Process::StandardOutColumns();
  return columns == 0 ? kDefaultWidth : std::clamp(columns, kMinWidth, kMaxWidth);
}

bool WantsAscii(bool to_file) {
  if (!ResultIsSeen(to_file)) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const llvm::StringRef locale = Environment(name);
    if (locale.empty()) continue;
    return !locale.contains_insensitive("utf-8") && !locale.contains_insensitive("utf8");
  }
  return true;
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
