// What main() knows of a subcommand.

#ifndef SHAPEWISE_CLI_COMMAND_H_
#define SHAPEWISE_CLI_COMMAND_H_

#include <functional>

#include "cli/exit_status.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// A subcommand as it was added to the command line.
struct Command {
  CLI::App* app;                    ///< tells whether it was asked for
  std::function<ExitStatus()> run;  ///< does its work, once the command line is read
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMMAND_H_
