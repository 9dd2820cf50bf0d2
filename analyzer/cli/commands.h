// Subcommands: each is one file, which nothing else names, and a text in help/.

#ifndef SHAPEWISE_CLI_COMMANDS_H_
#define SHAPEWISE_CLI_COMMANDS_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/command_line.h"
#include "cli/result_output.h"
#include "support/error.h"

namespace shapewise {

/// Runs a subcommand whose options were parsed. Its error is reported once, for all of them.
using CommandRun = std::function<Expected<ExitStatus>()>;

/// A subcommand: a constant in its own file, which adds itself to Commands().
struct Command {
  /// Adds the options to the command line.
  using PrepareFunction = CommandRun (*)(CommandLine line);

  Command(int place, const char* its_name, const char* its_summary, PrepareFunction its_prepare);

  int order;            ///< in help: what most users need first
  const char* name;     ///< "lint"
  const char* summary;  ///< one line of the program's help
  PrepareFunction prepare;
};

/// All subcommands in help order.
std::vector<const Command*>& Commands();

/// The text of the file `name` of help/, without its last line end: "lint.txt" ends the help of
/// lint.
std::string HelpText(std::string_view name);

/// Command::prepare of a command that runs with `Arguments`, which its options set. kRun takes the
/// command line, too, if it needs to know which options were given.
template <typename Arguments, void (*kAddOptions)(CommandLine& line, Arguments& arguments),
          auto kRun>
CommandRun Prepare(CommandLine line) {
  const auto arguments = std::make_shared<Arguments>();
  kAddOptions(line, *arguments);
  if constexpr (std::is_invocable_v<decltype(kRun), Arguments&>) {
    return [arguments] { return kRun(*arguments); };
  } else {
    return [line, arguments] { return kRun(line, *arguments); };
  }
}

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMMANDS_H_
