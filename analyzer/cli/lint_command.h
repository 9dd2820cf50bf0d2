// `shapewise lint`: findings on a run.

#ifndef SHAPEWISE_CLI_LINT_COMMAND_H_
#define SHAPEWISE_CLI_LINT_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddLintCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_LINT_COMMAND_H_
