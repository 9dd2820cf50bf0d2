// Command-line features of all subcommands: help, version and usage errors.

#ifndef SHAPEWISE_CLI_USAGE_H_
#define SHAPEWISE_CLI_USAGE_H_

#include <string>

#include "cli/commands.h"
#include "cli/result_output.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
class ParseError;
}  // namespace CLI

namespace shapewise {

/// Sets up the options of the program itself.
void PrepareProgram(CLI::App& app);

/// Adds a subcommand without its options.
CLI::App* AddSubcommand(CLI::App& parent, const Command& command);

/// Handles a parse that selects no subcommand: prints the requested help or version, or reports the
/// error on stderr, with a suggestion for a misspelled word. `last_word` ended the command line.
ExitStatus FinishParse(const CLI::App& app, const CLI::ParseError& error,
                       const std::string& last_word);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_USAGE_H_
