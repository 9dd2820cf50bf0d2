// A subcommand as main() sees it.

#ifndef SHAPEWISE_CLI_COMMAND_H_
#define SHAPEWISE_CLI_COMMAND_H_

#include <functional>

#include "cli/exit_status.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// A subcommand that was added to the command line.
struct Command {
  CLI::App* app;                    ///< shows whether it was selected
  std::function<ExitStatus()> run;  ///< runs it, after parsing
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMMAND_H_
