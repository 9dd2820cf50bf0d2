// `shapewise graph`: what a captured graph takes, which of its sizes may vary, and what padding
// does.

#ifndef SHAPEWISE_CLI_GRAPH_COMMAND_H_
#define SHAPEWISE_CLI_GRAPH_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive what is returned.
Command AddGraphCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_GRAPH_COMMAND_H_
