#include "cli/usage.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <vector>

#include "cli/result_output.h"
#include "llvm/ADT/StringExtras.h"
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

/// What to say of a word that `app` does not know.
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

/// What was wrong with the command line of `app`, the program, or of its subcommand `named`.
std::string UsageError(const CLI::App& app, const CLI::App* named, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  if (!unknown.empty()) return UnknownWord(named == nullptr ? app : *named, unknown.front());
  if (named == nullptr) return "which command? There are " + llvm::join(CommandNames(app), ", ");
  return error.what();
}

}  // namespace

void PrepareProgram(CLI::App& app) {
  AddVersionFlag(app);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.get_help_ptr()->description("Print this help and exit");
  app.footer("More on a command: shapewise COMMAND --help");
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
  llvm::errs() << "shapewise: error: " << MakePrintable(UsageError(app, subcommand, error)) << "\n"
               << "Usage is shown by: shapewise "
               << (subcommand == nullptr ? "" : subcommand->get_name() + " ") << "--help\n";
  return ExitStatus::kTrouble;
}

}  // namespace shapewise
