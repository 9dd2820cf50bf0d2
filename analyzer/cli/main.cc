// The command line.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "cli/command_line.h"
#include "cli/result_output.h"
#include "llvm/Support/raw_ostream.h"

namespace {

/// Reserves the descriptors of closed standard streams: otherwise a file could be opened with such
/// a number and receive the stream's output. Writing to a closed standard output still fails.
void HoldStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // open() returns the lowest free number, which is this one.
    (void)::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace shapewise;
  HoldStandardStreams();
  // If a reader such as `head` closes the pipe, the failing write reports it.
  std::signal(SIGPIPE, SIG_IGN);

  const ExitStatus status = RunProgram({argv, argv + argc});
  // If the reader of stderr is gone, no report is possible; LLVM would abort at the end.
  llvm::errs().clear_error();
  return static_cast<int>(status);
}
