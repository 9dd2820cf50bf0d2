// `shapewise check`: what a model's code will do.

#ifndef SHAPEWISE_CLI_CHECK_COMMAND_H_
#define SHAPEWISE_CLI_CHECK_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive what is returned.
Command AddCheckCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_COMMAND_H_
