// `shapewise advise`.

#ifndef SHAPEWISE_CLI_ADVISE_COMMAND_H_
#define SHAPEWISE_CLI_ADVISE_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

Command AddAdviseCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_ADVISE_COMMAND_H_
