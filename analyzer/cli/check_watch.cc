#include "cli/check_watch.h"

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "cli/interrupt_guard.h"
#include "cli/result_output.h"
#include "cli/terminal.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {
namespace {

constexpr std::chrono::milliseconds kWatchPause{300};

/// Size and time of every file; saving a file changes at least one of them.
using State = std::map<std::string, std::pair<uint64_t, llvm::sys::TimePoint<>>>;

State Look(const CodeSelection& code) {
  State state;
  Expected<std::vector<std::string>> files = ListCode(code);
  if (!files) {
    // The folder may be missing temporarily, for example while switching branches.
    llvm::consumeError(files.takeError());
    return state;
  }
  for (const std::string& file : *files) {
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(file, status)) {
      state[file] = {status.getSize(), status.getLastModificationTime()};
    }
  }
  return state;
}

}  // namespace

ExitStatus WatchCode(const CodeSelection& code,
                     const std::function<Expected<ExitStatus>()>& check) {
  const InterruptGuard interrupts;
  ExitStatus last = ExitStatus::kClean;
  State seen;
  bool is_first = true;
  while (!interrupts.is_interrupted()) {
    // Taken before the check, so that changes during it are noticed next time.
    State now = Look(code);
    if (is_first || now != seen) {
      seen = std::move(now);
      is_first = false;
      last = StatusOf(check());
      if (ErrorsAreSeen()) llvm::errs() << "shapewise: waiting for changes; Ctrl-C ends\n";
    }
    std::this_thread::sleep_for(kWatchPause);
  }
  return last;
}

}  // namespace shapewise
