// `shapewise rules`: lists all rules.

#ifndef SHAPEWISE_CLI_RULES_COMMAND_H_
#define SHAPEWISE_CLI_RULES_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddRulesCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_RULES_COMMAND_H_
