// All subcommands: a row each, defined in the file of the subcommand.

#ifndef SHAPEWISE_CLI_COMMANDS_H_
#define SHAPEWISE_CLI_COMMANDS_H_

#include <functional>
#include <memory>
#include <type_traits>

#include "cli/command_line.h"
#include "cli/result_output.h"
#include "support/error.h"

namespace shapewise {

/// Runs a subcommand whose options were parsed. Its error is reported once, for all of them.
using CommandRun = std::function<Expected<ExitStatus>()>;

struct Command {
  const char* name;      ///< "lint"
  const char* summary;   ///< one line of the program's help
  const char* examples;  ///< printed at the end of its own help
  /// Adds the options to the command line.
  CommandRun (*prepare)(CommandLine line);
};

/// Command::prepare of a command that runs with `Arguments`, which its options set. kRun takes the
/// command line, too, if it needs to know which options were given.
template <typename Arguments, void (*kAddOptions)(CommandLine& line, Arguments& arguments),
          auto kRun>
CommandRun Prepare(CommandLine line) {
  const auto arguments = std::make_shared<Arguments>();
  kAddOptions(line, *arguments);
  if constexpr (std::is_invocable_v<decltype(kRun), Arguments&>) {
    return [arguments] { return kRun(*arguments); };
  } else {
    return [line, arguments] { return kRun(line, *arguments); };
  }
}

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
