#include "cli/usage.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/result_output.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/support/nearest_name.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

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

/// CLI11's message in plain words: "--output needs a value: FILE" for "--output: 1 required FILE
/// missing". Its classes of errors hold the parts in no other form.
std::string PlainMessage(const CLI::ParseError& error) {
  const std::string text = error.what();
  const auto [option, rest] = llvm::StringRef(text).split(": ");
  llvm::StringRef words = rest;
  if (error.get_name() == "ArgumentMismatch" && words.consume_front("1 required ") &&
      words.consume_back(" missing")) {
    llvm::SmallVector<llvm::StringRef> choices;
    words.split(choices, '|');
    return option.str() + " needs a value: " + llvm::join(choices, ", ");
  }
  if (error.get_name() == "ConversionError" && option == "Could not convert") {
    const auto [name, value] = rest.split(" = ");
    double number = 0;
    const bool is_fraction = !value.getAsDouble(number);
    return name.str() + ": '" + value.str() + "' is not a " + (is_fraction ? "whole " : "") +
           "number";
  }
  const std::pair<llvm::StringRef, std::pair<llvm::StringRef, llvm::StringRef>> classes[] = {
      {"ExcludesError", {" excludes ", " cannot be given with "}},
      {"RequiresError", {" requires ", " needs "}},
      {"RequiredError", {" is required", " is missing"}}};
  for (const auto& [name, wordings] : classes) {
    const auto [first, second] = llvm::StringRef(text).split(wordings.first);
    if (error.get_name() == name) return (first + wordings.second + second).str();
  }
  return text;
}

/// What was wrong with the command line of `app`, the program, or of its subcommand `named`.
std::string UsageError(const CLI::App& app, const CLI::App* named, const CLI::ParseError& error) {
  // A wrong value ends the reading of the line: what follows is not unknown.
  const bool is_wrong_value =
      error.get_name() == "ValidationError" || error.get_name() == "ConversionError";
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  if (!is_wrong_value && !unknown.empty()) {
    return UnknownWord(named == nullptr ? app : *named, unknown.front());
  }
  return PlainMessage(error);
}

}  // namespace

void PrepareProgram(CLI::App& app) {
  AddVersionFlag(app);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.get_help_ptr()->description("Print this help and exit");
  app.footer("Run shapewise COMMAND --help for the options of a command");
}

CLI::App* AddSubcommand(CLI::App& parent, const std::string& name, const std::string& description,
                        const std::string& examples) {
  CLI::App* subcommand = parent.add_subcommand(name, description);
  AddVersionFlag(*subcommand);
  subcommand->get_help_ptr()->description("Print this help and exit");
  subcommand->footer(examples);
  return subcommand;
}

ExitStatus FinishParse(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  std::ostringstream err;
  if (app.exit(error, out, err) == static_cast<int>(CLI::ExitCodes::Success)) {
    const std::string text = out.str();
    return FinishResult(WriteResult("", [&](llvm::raw_ostream& stream) { stream << text; }));
  }
  const std::vector<CLI::App*> named = app.get_subcommands();
  const CLI::App* subcommand = named.empty() ? nullptr : named.front();
  if (subcommand == nullptr && app.remaining(/*recurse=*/true).empty()) {
    llvm::errs() << app.help();
    return ExitStatus::kTrouble;
  }
  llvm::errs() << "shapewise: error: " << MakePrintable(UsageError(app, subcommand, error)) << "\n"
               << "For usage, run: shapewise "
               << (subcommand == nullptr ? "" : subcommand->get_name() + " ") << "--help\n";
  return ExitStatus::kTrouble;
}

}  // namespace shapewise
