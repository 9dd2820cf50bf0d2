#include "cli/usage.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/result_output.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/nearest_name.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

/// Help without what CLI11 adds for programmers, wrapped to a page.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kDescription);
    label("Positionals", "Arguments");
    label("Subcommands", "Commands");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string text = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    std::string description = option->get_description();
    if (!option->get_default_str().empty()) {
      description += " [default: " + option->get_default_str() + "]";
    }
    size_t column = text.size();
    if (column >= kDescription) column = kPage;  // the description begins in a line of its own
    text.resize(std::max(text.size(), kDescription), ' ');
    column = std::max(column, kDescription);
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(description).split(words, ' ');
    for (const llvm::StringRef word : words) {
      const bool is_first = column == kDescription;
      if (column + word.size() + 1 > kPage) {
        text += "\n" + std::string(kDescription, ' ');
        column = kDescription;
      } else if (!is_first) {
        text += ' ';
        ++column;
      }
      text += word;
      column += word.size();
    }
    return text + "\n";
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    const bool is_list = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    const std::string& value = option->get_type_name();
    return (value.empty() ? "" : " " + value) + (is_list ? " ..." : "");
  }

 private:
  static constexpr size_t kDescription = 28;
  static constexpr size_t kPage = 100;
};

void AddVersionFlag(CLI::App& app) {
  app.set_version_flag("--version", "shapewise " SHAPEWISE_VERSION, "Print the version and exit");
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({}))
    names.push_back(subcommand->get_name());
  return names;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The message for a word that `app` does not know.
std::string UnknownWord(const CLI::App& app, const std::string& word) {
  const bool is_option = word.starts_with("-");
  const bool is_command = !is_option && app.get_parent() == nullptr;
  const std::vector<std::string> known = is_option    ? OptionNames(app)
                                         : is_command ? CommandNames(app)
                                                      : std::vector<std::string>();
  const std::vector<std::string_view> names(known.begin(), known.end());
  std::string help = DidYouMean(word.substr(0, word.find('=')), names);
  if (help.empty() && is_command) help = "; the commands are " + llvm::join(known, ", ");
  const std::string what = is_option    ? "unknown option"
                           : is_command ? "unknown command"
                                        : "unexpected argument";
  return what + " '" + word + "'" + help;
}

/// "--output needs a value: FILE". Choices of words are joined by '|' in the name of the value.
std::string NeedsValue(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  llvm::SmallVector<llvm::StringRef> choices;
  llvm::StringRef(type).split(choices, '|');
  return option.get_name() + " needs a value: " + llvm::join(choices, ", ");
}

/// "--steps: '2.5' is not a whole number"
std::string NotConverted(const CLI::Option& option) {
  const std::string value = llvm::join(option.results(), ",");
  double number = 0;
  const bool is_fraction = !llvm::StringRef(value).getAsDouble(number);
  return option.get_name() + ": '" + value + "' is not a " + (is_fraction ? "whole " : "") +
         "number";
}

/// What is wrong with the options of `command`, in our words: an error of CLI11 contains its own
/// message only, so the option is found by the state in which CLI11 stopped. `last_word` ended the
/// command line.
std::string OptionError(const CLI::App& command, const CLI::ParseError& error,
                        const std::string& last_word) {
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const CLI::Option* last_converted = nullptr;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool is_given = option->count() > 0;
    if (option->get_callback_run()) last_converted = option;
    if (code == CLI::ExitCodes::RequiredError && option->get_required() && !is_given) {
      return name + " is missing";
    }
    const bool takes_one = option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw &&
                           option->get_items_expected_max() == 1;
    if (code == CLI::ExitCodes::ArgumentMismatch && takes_one && option->count() > 1) {
      return name + " is given more than once";
    }
    for (const CLI::Option* other : option->get_needs()) {
      if (code == CLI::ExitCodes::RequiresError && is_given && other->count() == 0) {
        return name + " needs " + other->get_name();
      }
    }
    for (const CLI::Option* other : option->get_excludes()) {
      if (code == CLI::ExitCodes::ExcludesError && is_given && other->count() > 0) {
        return name + " cannot be given with " + other->get_name();
      }
    }
  }
  if (code == CLI::ExitCodes::ConversionError && last_converted != nullptr) {
    return NotConverted(*last_converted);
  }
  const CLI::Option* last = command.get_option_no_throw(last_word);
  if (code == CLI::ExitCodes::ArgumentMismatch && last != nullptr) return NeedsValue(*last);
  return error.what();  // of our validators (cli/options.h)
}

/// What was wrong with the command line of `app`, the program, or of its subcommand `named`.
std::string UsageError(const CLI::App& app, const CLI::App* named, const CLI::ParseError& error,
                       const std::string& last_word) {
  // A wrong value ends the reading of the line: what follows is not unknown.
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const bool is_wrong_value =
      code == CLI::ExitCodes::ValidationError || code == CLI::ExitCodes::ConversionError;
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  if (!is_wrong_value && !unknown.empty()) {
    return UnknownWord(named == nullptr ? app : *named, unknown.front());
  }
  return OptionError(named == nullptr ? app : *named, error, last_word);
}

}  // namespace

void PrepareProgram(CLI::App& app) {
  AddVersionFlag(app);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_help_ptr()->description("Print this help and exit");
  app.footer("Run shapewise COMMAND --help for the options of a command");
}

CLI::App* AddSubcommand(CLI::App& parent, const Command& command) {
  CLI::App* subcommand = parent.add_subcommand(command.name, command.summary);
  subcommand->group("Commands");
  AddVersionFlag(*subcommand);
  subcommand->get_help_ptr()->description("Print this help and exit");
  subcommand->footer(command.examples);
  return subcommand;
}

ExitStatus FinishParse(const CLI::App& app, const CLI::ParseError& error,
                       const std::string& last_word) {
  std::ostringstream out;
  std::ostringstream err;
  if (app.exit(error, out, err) == static_cast<int>(CLI::ExitCodes::Success)) {
    std::string text = out.str();
    // CLI11 ends each group of options with two empty lines.
    for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return StatusOf(
        FinishResult(WriteResult("", [&](llvm::raw_ostream& stream) { stream << text; })));
  }
  const std::vector<CLI::App*> named = app.get_subcommands();
  const CLI::App* subcommand = named.empty() ? nullptr : named.front();
  if (subcommand == nullptr && app.remaining(/*recurse=*/true).empty()) {
    llvm::errs() << app.help();
    return ExitStatus::kTrouble;
  }
  llvm::errs() << "shapewise: error: "
               << MakePrintable(UsageError(app, subcommand, error, last_word)) << "\n"
               << "For usage, run: shapewise "
               << (subcommand == nullptr ? "" : subcommand->get_name() + " ") << "--help\n";
  return ExitStatus::kTrouble;
}

}  // namespace shapewise
