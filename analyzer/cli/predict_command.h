// `shapewise predict`: predicts what Dynamo compiles, without running anything.

#ifndef SHAPEWISE_CLI_PREDICT_COMMAND_H_
#define SHAPEWISE_CLI_PREDICT_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

Command AddPredictCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_PREDICT_COMMAND_H_
