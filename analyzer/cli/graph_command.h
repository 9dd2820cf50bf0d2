// `shapewise graph`: inputs of a captured graph, dynamic sizes, and the effect of padding.

#ifndef SHAPEWISE_CLI_GRAPH_COMMAND_H_
#define SHAPEWISE_CLI_GRAPH_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddGraphCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_GRAPH_COMMAND_H_
