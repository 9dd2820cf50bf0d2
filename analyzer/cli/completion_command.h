// `shapewise completion`: completions of shells, and the manual page.

#ifndef SHAPEWISE_CLI_COMPLETION_COMMAND_H_
#define SHAPEWISE_CLI_COMPLETION_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive what is returned. What it prints tells of
/// all commands that `parent` has by the time it runs.
Command AddCompletionCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMPLETION_COMMAND_H_
