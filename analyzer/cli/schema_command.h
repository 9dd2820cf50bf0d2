// `shapewise schema`: prints the JSON Schema of a result.

#ifndef SHAPEWISE_CLI_SCHEMA_COMMAND_H_
#define SHAPEWISE_CLI_SCHEMA_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddSchemaCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_SCHEMA_COMMAND_H_
