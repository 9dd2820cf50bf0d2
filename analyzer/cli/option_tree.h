// The commands and options of the program, as data: for completions of shells and for the manual.

#ifndef SHAPEWISE_CLI_OPTION_TREE_H_
#define SHAPEWISE_CLI_OPTION_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// What a shell may offer for a value.
enum class OfferedValue : uint8_t {
  kNone,   ///< there is no value: a flag
  kWords,  ///< one of a few words
  kFiles,  ///< names of files and folders
  kText,   ///< anything; nothing can be offered
};

/// One option or one operand of a command.
struct OptionFacts {
  std::vector<std::string> names;  ///< "-o", "--output"; of an operand its one name, "PATH"
  OfferedValue kind = OfferedValue::kNone;
  std::string value;               ///< how help calls the value: "FILE", "text|json"
  std::vector<std::string> words;  ///< of kWords
  bool is_value_optional = false;
  bool is_repeatable = false;
  bool is_required = false;
  std::string description;
};

/// One command; the program itself is one, without a parent.
struct CommandFacts {
  std::string name;
  std::string description;
  std::string footer;                 ///< what help prints below the options: notes, examples
  std::vector<OptionFacts> options;   ///< in the order of help
  std::vector<OptionFacts> operands;  ///< in the order of the command line
};

/// The program with its commands.
struct ProgramFacts {
  CommandFacts program;
  std::vector<CommandFacts> commands;  ///< in the order of help
};

/// Reads what was added to `app`, the program. `rules`: codes of rules, which options that take
/// rules can be given.
ProgramFacts ReadOptionTree(const CLI::App& app, const std::vector<std::string>& rules);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_OPTION_TREE_H_
