// The command line.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/usage.h"

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
    words.push_back("--help");
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return static_cast<int>(FinishParse(app, error, argc > 0 ? argv[argc - 1] : ""));
  }
  return static_cast<int>(run());
}
