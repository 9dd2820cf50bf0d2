// Declares the options of a subcommand, also as data for shell completions and the manual page, and
// parses the command line. Implemented with CLI11, which only command_line.cc includes.

#ifndef SHAPEWISE_CLI_COMMAND_LINE_H_
#define SHAPEWISE_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

enum class ExitStatus : int;

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

/// The variable that an option sets. It contains the default.
using OptionTarget =
    std::variant<double*, unsigned*, int64_t*, uint64_t*, std::string*, std::optional<double>*,
                 std::optional<uint64_t>*, std::vector<std::string>*, std::vector<int64_t>*>;

/// Checks a value, and may convert it. Returns what is wrong with it; empty: nothing.
using ValueCheck = std::function<std::string(std::string& value)>;

/// How an option whose target is a vector takes its values.
enum class ListForm : uint8_t {
  kWords,     ///< all words up to the next option
  kSingly,    ///< one word at a time; the option may be repeated
  kCommas,    ///< the same, and each word may be a list separated by commas
  kRepeated,  ///< as kSingly; the help does not say that there may be several
  kOnce,      ///< one word; an option given twice is an error
};

/// Further properties of an option.
struct OptionForm {
  ValueCheck check = nullptr;  ///< null: every value of the type
  bool is_required = false;
  bool shows_default = false;      ///< the help ends with the default
  bool is_value_optional = false;  ///< may be given without a value
  ListForm list = ListForm::kWords;
  const char* excludes = nullptr;  ///< an option added before that cannot be given with this one
  const char* needs = nullptr;     ///< an option added before: both are given, or none
};

/// The command line of one subcommand. A cheap handle: copies are the same command line.
class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(&app) {}
  /// Lists the options in `facts` instead of parsing them.
  explicit CommandLine(CommandFacts& facts) : facts_(&facts) {}

  /// Options that are added from now on are listed below `heading`; empty: the usual one.
  void SetHeading(std::string heading) { heading_ = std::move(heading); }

  /// Adds an option, such as "-o,--output", or an operand, such as "PATH". `value`: name of the
  /// value in the help, such as "FILE"; empty: not named, because an operand has a name.
  void Add(const std::string& names, OptionTarget target, const std::string& value,
           const std::string& description, const OptionForm& form = {});

  /// Adds an option without a value, which sets `flag` to `set_to`.
  void AddFlag(const std::string& name, bool* flag, const std::string& description,
               bool set_to = true);

  /// Whether the user gave the option `name`, such as "--format". It must have been added.
  bool WasGiven(const std::string& name) const;

 private:
  void Describe(const std::string& names, const std::string& value, const std::string& description,
                const OptionForm& form, bool is_list);

  CLI::App* app_ = nullptr;
  CommandFacts* facts_ = nullptr;
  std::string heading_;
};

/// Parses the words of a command line, the first of which names the program, and runs the command.
/// Prints requested help and the version to standard output, usage errors to stderr.
ExitStatus RunProgram(std::vector<const char*> words);

/// Requires a number of bytes, such as 500M or 2G, and converts it.
ValueCheck Bytes();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMMAND_LINE_H_
