#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/option_tree.h"
#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/ADT/StringExtras.h"
#include "rules/rule_set.h"

namespace shapewise {
namespace {

struct CompletionArguments {
  std::string form;
  std::string output;
};

constexpr const char* kCompletionExamples =
    "Packages install all of these. To install them manually:\n"
    "  source <(shapewise completion bash)                      in ~/.bashrc\n"
    "  shapewise completion zsh -o ~/.zfunc/_shapewise          a folder in fpath\n"
    "  shapewise completion fish -o ~/.config/fish/completions/shapewise.fish\n"
    "  shapewise completion man | man -l -                      the manual of all commands";

/// Adds the options of all subcommands but this one, which has them.
void AddAllOptions(CLI::App& program) {
  for (const Command* command : kCommands) {
    CLI::App& app = *program.get_subcommand(command->name);
    if (!app.parsed()) command->add_options(app);
  }
}

Expected<ExitStatus> RunCompletion(CLI::App& program, const CompletionArguments& arguments) {
  AddAllOptions(program);
  std::vector<std::string> rules;
  for (const RuleHead* rule : RuleSet::Builtin().Heads()) rules.emplace_back(rule->code);
  const ProgramFacts facts = ReadOptionTree(program, rules);
  return FinishResult(WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    if (arguments.form == "bash") return WriteBashCompletion(facts, out);
    if (arguments.form == "zsh") return WriteZshCompletion(facts, out);
    if (arguments.form == "fish") return WriteFishCompletion(facts, out);
    WriteManualPage(facts, out);
  }));
}

CommandRun AddCompletion(CLI::App& app) {
  const auto arguments = std::make_shared<CompletionArguments>();
  const std::vector<std::string> forms = {"bash", "zsh", "fish", "man"};
  app.add_option("FORM", arguments->form, "The shell, or man for the manual page")
      ->required()
      ->check(OneOf(forms))
      ->type_name(llvm::join(forms, "|"));
  app.add_option("-o,--output", arguments->output, "Write the output to a file")->type_name("FILE");
  return [&app, arguments] { return RunCompletion(*app.get_parent(), *arguments); };
}

}  // namespace

const Command kCompletionCommand = {"completion", "Print shell completions, or the manual page",
                                    kCompletionExamples, AddCompletion};

}  // namespace shapewise
