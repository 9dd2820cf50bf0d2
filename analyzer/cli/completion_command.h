// `shapewise completion`: shell completions, and the manual page.

#ifndef SHAPEWISE_CLI_COMPLETION_COMMAND_H_
#define SHAPEWISE_CLI_COMPLETION_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result. Its output covers all commands
/// that `parent` has when it runs.
Command AddCompletionCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMPLETION_COMMAND_H_
