// `shapewise tune -- CMD`: runs the user's program with actions that may help.

#ifndef SHAPEWISE_CLI_TUNE_COMMAND_H_
#define SHAPEWISE_CLI_TUNE_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`.
Command AddTuneCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_TUNE_COMMAND_H_
