// `shapewise guards`: whether a dimension is dynamic, and which lines pin it.

#ifndef SHAPEWISE_CLI_GUARDS_COMMAND_H_
#define SHAPEWISE_CLI_GUARDS_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

Command AddGuardsCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_GUARDS_COMMAND_H_
