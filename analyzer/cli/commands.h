// All subcommands: a row each, defined in the file of the subcommand.

#ifndef SHAPEWISE_CLI_COMMANDS_H_
#define SHAPEWISE_CLI_COMMANDS_H_

#include <functional>

#include "cli/result_output.h"
#include "support/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// Runs a subcommand whose options were parsed. Its error is reported once, for all of them.
using CommandRun = std::function<Expected<ExitStatus>()>;

struct Command {
  const char* name;      ///< "lint"
  const char* summary;   ///< one line of the program's help
  const char* examples;  ///< printed at the end of its own help
  /// Adds the options to `app`, which must outlive the result.
  CommandRun (*add_options)(CLI::App& app);
};

extern const Command kLintCommand;
extern const Command kRunCommand;
extern const Command kMergeCommand;
extern const Command kDiffCommand;
extern const Command kReportCommand;
extern const Command kGraphCommand;
extern const Command kGuardsCommand;
extern const Command kPredictCommand;
extern const Command kAdviseCommand;
extern const Command kBucketsCommand;
extern const Command kReplayCommand;
extern const Command kCheckCommand;
extern const Command kExplainCommand;
extern const Command kRulesCommand;
extern const Command kSchemaCommand;
extern const Command kCompletionCommand;
extern const Command kTuneCommand;

/// In help order: what most users need first.
inline constexpr const Command* kCommands[] = {
    &kRunCommand,    &kLintCommand,      &kCheckCommand,  &kAdviseCommand,  &kTuneCommand,
    &kDiffCommand,   &kReportCommand,    &kGuardsCommand, &kGraphCommand,   &kPredictCommand,
    &kReplayCommand, &kBucketsCommand,   &kMergeCommand,  &kExplainCommand, &kRulesCommand,
    &kSchemaCommand, &kCompletionCommand};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMMANDS_H_
