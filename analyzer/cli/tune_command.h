// `shapewise tune -- CMD`: the user's own program under the actions that may help it.

#ifndef SHAPEWISE_CLI_TUNE_COMMAND_H_
#define SHAPEWISE_CLI_TUNE_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to the command line `parent`.
Command AddTuneCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_TUNE_COMMAND_H_
