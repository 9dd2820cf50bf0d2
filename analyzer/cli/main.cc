// The command line, with one line per subcommand.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>

#include "cli/advise_command.h"
#include "cli/buckets_command.h"
#include "cli/check_command.h"
#include "cli/completion_command.h"
#include "cli/diff_command.h"
#include "cli/explain_command.h"
#include "cli/graph_command.h"
#include "cli/guards_command.h"
#include "cli/lint_command.h"
#include "cli/merge_command.h"
#include "cli/predict_command.h"
#include "cli/replay_command.h"
#include "cli/report_command.h"
#include "cli/rules_command.h"
#include "cli/run_command.h"
#include "cli/schema_command.h"
#include "cli/tune_command.h"
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
      "Find recompilations, graph breaks and eager fallbacks of torch.compile, and their causes, "
      "in logs and in code.",
      "shapewise");
  PrepareProgram(app);
  const Command commands[] = {
      AddLintCommand(app),       AddRunCommand(app),     AddMergeCommand(app),
      AddDiffCommand(app),       AddReportCommand(app),  AddGraphCommand(app),
      AddGuardsCommand(app),     AddPredictCommand(app), AddAdviseCommand(app),
      AddBucketsCommand(app),    AddReplayCommand(app),  AddCheckCommand(app),
      AddExplainCommand(app),    AddRulesCommand(app),   AddSchemaCommand(app),
      AddCompletionCommand(app), AddTuneCommand(app),
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return static_cast<int>(FinishParse(app, error));
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return static_cast<int>(command.run());
  }
  return static_cast<int>(ExitStatus::kTrouble);
}
