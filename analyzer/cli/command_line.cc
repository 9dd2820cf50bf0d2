#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>
#include <sstream>
#include <string_view>

#include "cli/commands.h"
#include "cli/result_output.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/embedded_file.h"
#include "support/nearest_name.h"
#include "support/terminal_text.h"

namespace shapewise {

std::span<const EmbeddedFile> HelpTexts();  // defined in a file made when building

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
  return error.what();  // of a ValueCheck
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

void AddCommonFlags(CLI::App& app) {
  app.set_version_flag("--version", "shapewise " SHAPEWISE_VERSION, kVersionHelp);
  app.get_help_ptr()->description(kHelpHelp);
}

/// The program with its commands, which have no options yet.
std::unique_ptr<CLI::App> MakeProgram() {
  auto app = std::make_unique<CLI::App>(kProgramSummary, "shapewise");
  app->require_subcommand(1);
  app->formatter(std::make_shared<HelpFormatter>());
  AddCommonFlags(*app);
  app->footer(kProgramFooter);
  for (const Command* command : Commands()) {
    CLI::App* subcommand = app->add_subcommand(command->name, command->summary);
    subcommand->group("Commands");
    AddCommonFlags(*subcommand);
    subcommand->footer(HelpText(std::string(command->name) + ".txt"));
  }
  return app;
}

/// Handles a parse that selects no subcommand: prints the requested help or version, or reports the
/// error on stderr, with a suggestion for a misspelled word. `last_word` ended the command line.
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

/// `help lint` is `lint --help`, as in git.
void ReplaceHelpCommand(std::vector<const char*>& words) {
  if (words.size() < 2 || std::string_view(words[1]) != "help") return;
  words.erase(words.begin() + 1);
  words.resize(std::min<size_t>(words.size(), 2));
  const auto is_named = [&](const Command* command) {
    return std::string_view(words[1]) == command->name;
  };
  if (words.size() < 2 || std::ranges::any_of(Commands(), is_named)) words.push_back("--help");
}

}  // namespace

void CommandLine::Add(const std::string& names, OptionTarget target, const std::string& value,
                      const std::string& description, const OptionForm& form) {
  if (facts_ != nullptr) {
    const bool is_list = std::holds_alternative<std::vector<std::string>*>(target) ||
                         std::holds_alternative<std::vector<int64_t>*>(target);
    return Describe(names, value, description, form, is_list);
  }
  CLI::Option* option = std::visit(
      [&](auto* variable) { return app_->add_option(names, *variable, description); }, target);
  option->type_name(value)->required(form.is_required);
  if (form.check) option->transform(CLI::Validator(form.check, ""));
  if (form.shows_default) option->capture_default_str();
  if (form.is_value_optional) option->expected(0, 1);
  if (form.list == ListForm::kRepeated || form.list == ListForm::kOnce) option->expected(1);
  if (form.list != ListForm::kWords) option->allow_extra_args(false);
  if (form.list == ListForm::kCommas) option->delimiter(',');
  if (form.list == ListForm::kRepeated) {
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  if (form.excludes != nullptr) option->excludes(form.excludes);
  if (form.needs != nullptr) {
    CLI::Option* needed = app_->get_option(form.needs);
    option->needs(needed);
    needed->needs(option);
  }
  if (!heading_.empty() && !option->get_positional()) option->group(heading_);
}

void CommandLine::AddFlag(const std::string& name, bool* flag, const std::string& description,
                          bool set_to) {
  if (facts_ != nullptr) return Describe(name, "", description, {}, /*is_list=*/false);
  CLI::Option* option = set_to
                            ? app_->add_flag(name, *flag, description)
                            : app_->add_flag_callback(name, [flag] { *flag = false; }, description);
  if (!heading_.empty()) option->group(heading_);
}

void CommandLine::Describe(const std::string& names, const std::string& value,
                           const std::string& description, const OptionForm& form, bool is_list) {
  OptionFacts option{.value = value,
                     .is_value_optional = form.is_value_optional,
                     .is_repeatable = is_list && form.list != ListForm::kOnce,
                     .is_required = form.is_required,
                     .description = description};
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(names).split(words, ',');
  for (const llvm::StringRef word : words) option.names.push_back(word.str());
  (names.starts_with('-') ? facts_->options : facts_->operands).push_back(std::move(option));
}

bool CommandLine::WasGiven(const std::string& name) const { return app_->count(name) > 0; }

std::vector<const Command*>& Commands() {
  static std::vector<const Command*> commands;
  return commands;
}

Command::Command(int place, const char* its_name, const char* its_summary,
                 PrepareFunction its_prepare)
    : order(place), name(its_name), summary(its_summary), prepare(its_prepare) {
  std::vector<const Command*>& all = Commands();
  all.insert(std::ranges::upper_bound(all, order, {}, &Command::order), this);
}

std::string HelpText(std::string_view name) {
  const auto file =
      std::ranges::find(HelpTexts(), "analyzer/cli/help/" + std::string(name), &EmbeddedFile::path);
  return llvm::StringRef(file->text).drop_back().str();
}

ExitStatus RunProgram(std::vector<const char*> words) {
  const std::unique_ptr<CLI::App> app = MakeProgram();
  CommandRun run;
  for (const Command* command : Commands()) {
    CLI::App* subcommand = app->get_subcommand(command->name);
    // Only when it is selected: adding the options of all takes most of the time of a short run.
    subcommand->preparse_callback(
        [&run, command, subcommand](size_t) { run = command->prepare(CommandLine(*subcommand)); });
  }
  ReplaceHelpCommand(words);
  try {
    app->parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return FinishParse(*app, error, words.size() > 1 ? words.back() : "");
  }
  return StatusOf(run());
}

ValueCheck Bytes() {
  return [](std::string& text) {
    const std::string given = text;  // which a failed conversion changes
    try {
      return CLI::AsSizeValue(/*kb_is_1000=*/false)(text);
    } catch (const CLI::ValidationError&) {
      return "'" + given + "' is not a size such as 500M or 2G";
    }
  };
}

}  // namespace shapewise
