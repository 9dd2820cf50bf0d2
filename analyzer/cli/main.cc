// The command line.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/result_output.h"
#include "cli/usage.h"
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

bool IsCommand(std::string_view word) {
  return std::ranges::any_of(shapewise::kCommands, [&](const shapewise::Command* command) {
    return word == command->name;
  });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace shapewise;
  HoldStandardStreams();
  // If a reader such as `head` closes the pipe, the failing write reports it.
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App app(
      "Find out why torch.compile recompiles, breaks graphs or falls back to eager, in logs and "
      "code",
      "shapewise");
  PrepareProgram(app);
  CommandRun run;
  for (const Command* command : kCommands) {
    CLI::App* subcommand = AddSubcommand(app, *command);
    // Only when it is selected: adding the options of all takes most of the time of a short run.
    subcommand->preparse_callback(
        [&run, command, subcommand](size_t) { run = command->add_options(*subcommand); });
  }
  // `help lint` is `lint --help`, as in git.
  std::vector<const char*> words(argv, argv + argc);
  if (argc > 1 && std::string_view(words[1]) == "help") {
    words.erase(words.begin() + 1);
    words.resize(std::min<size_t>(words.size(), 2));
    if (words.size() < 2 || IsCommand(words[1])) words.push_back("--help");
  }
  ExitStatus status = ExitStatus::kTrouble;
  try {
    app.parse(static_cast<int>(words.size()), words.data());
    status = StatusOf(run());
  } catch (const CLI::ParseError& error) {
    status = FinishParse(app, error, words.size() > 1 ? words.back() : "");
  }
  // If the reader of stderr is gone, no report is possible; LLVM would abort at the end.
  llvm::errs().clear_error();
  return static_cast<int>(status);
}
