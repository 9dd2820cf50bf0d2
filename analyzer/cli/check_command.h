// `shapewise check`: static check of model code.

#ifndef SHAPEWISE_CLI_CHECK_COMMAND_H_
#define SHAPEWISE_CLI_CHECK_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddCheckCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_COMMAND_H_
