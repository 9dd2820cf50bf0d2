// `shapewise run -- CMD`: runs a program and reports on it.

#ifndef SHAPEWISE_CLI_RUN_COMMAND_H_
#define SHAPEWISE_CLI_RUN_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`.
Command AddRunCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_RUN_COMMAND_H_
