// The command line: one line a subcommand.

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

/// Keeps the numbers of standard streams that are closed: a file that is opened would get one, and
/// be given what is meant for the stream. Of standard output it stays true that nothing can be
/// written.
void HoldStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // The lowest number that is free is given: this one.
    (void)::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace shapewise;
  HoldStandardStreams();
  // A reader that goes away, such as `head`, is then told by the write that fails.
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App app(
      "Finds recompilations, graph breaks and eager fallbacks of torch.compile, and their causes, "
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
