// `shapewise diff`: compares two runs.

#ifndef SHAPEWISE_CLI_DIFF_COMMAND_H_
#define SHAPEWISE_CLI_DIFF_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddDiffCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_DIFF_COMMAND_H_
