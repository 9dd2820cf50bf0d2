// `shapewise merge`: merges partials of several ranks or jobs into one.

#ifndef SHAPEWISE_CLI_MERGE_COMMAND_H_
#define SHAPEWISE_CLI_MERGE_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddMergeCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_MERGE_COMMAND_H_
