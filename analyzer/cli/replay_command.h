// The subcommand that runs advice.

#ifndef SHAPEWISE_CLI_REPLAY_COMMAND_H_
#define SHAPEWISE_CLI_REPLAY_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds `shapewise replay` to the command line.
Command AddReplayCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_REPLAY_COMMAND_H_
