// `shapewise explain`: the manual of a rule or a graph break.

#ifndef SHAPEWISE_CLI_EXPLAIN_COMMAND_H_
#define SHAPEWISE_CLI_EXPLAIN_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddExplainCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_EXPLAIN_COMMAND_H_
