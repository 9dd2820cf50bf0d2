// The parts of the command line that all subcommands share: help, version and usage errors.

#ifndef SHAPEWISE_CLI_USAGE_H_
#define SHAPEWISE_CLI_USAGE_H_

#include <string>

#include "cli/exit_status.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
class ParseError;
}  // namespace CLI

namespace shapewise {

/// Sets up what belongs to the program itself.
void PrepareProgram(CLI::App& app);

/// Adds a subcommand. `examples` stands at the end of its help, each line indented by two.
CLI::App* AddSubcommand(CLI::App& parent, const std::string& name, const std::string& description,
                        const std::string& examples);

/// Ends a parse that did not lead to a subcommand: prints the help or version that was asked for,
/// or says on stderr what was wrong and, for a misspelt word, what was likely meant.
ExitStatus FinishParse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_USAGE_H_
