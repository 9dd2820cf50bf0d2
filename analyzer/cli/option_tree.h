// The commands and options of the program as data, for shell completions and the manual page.

#ifndef SHAPEWISE_CLI_OPTION_TREE_H_
#define SHAPEWISE_CLI_OPTION_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace shapewise {

/// What a shell can complete for a value.
enum class OfferedValue : uint8_t {
  kNone,   ///< no value: a flag
  kWords,  ///< one of a few words
  kFiles,  ///< names of files and folders
  kText,   ///< anything; no completion
};

/// An option or operand of a command.
struct OptionFacts {
  std::vector<std::string> names = {};  ///< "-o", "--output"; the single name of an operand, "PATH"
  OfferedValue kind = OfferedValue::kNone;
  std::string value = {};               ///< name of the value in help: "FILE", "text|json"
  std::vector<std::string> words = {};  ///< for kWords
  bool is_value_optional = false;
  bool is_repeatable = false;
  bool is_required = false;
  std::string description = {};
};

/// A command, or the program itself, which has no parent.
struct CommandFacts {
  std::string name;
  std::string description = {};
  std::string footer;                 ///< text below the options in help: notes, examples
  std::vector<OptionFacts> options;   ///< in help order
  std::vector<OptionFacts> operands;  ///< in command line order
};

/// The program with its commands.
struct ProgramFacts {
  CommandFacts program;
  std::vector<CommandFacts> commands;  ///< in help order
};

inline constexpr const char* kProgramSummary =
    "Find out why torch.compile recompiles, breaks graphs or falls back to eager, in logs and code";
inline constexpr const char* kProgramFooter =
    "Run shapewise COMMAND --help for the options of a command";
inline constexpr const char* kHelpHelp = "Print this help and exit";
inline constexpr const char* kVersionHelp = "Print the version and exit";

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_OPTION_TREE_H_
