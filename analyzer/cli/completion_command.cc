#include "cli/commands.h"

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

Expected<ExitStatus> RunCompletion(const CompletionArguments& arguments) {
  std::vector<std::string> rules;
  for (const RuleHead* rule : RuleSet::Builtin().Heads()) rules.emplace_back(rule->code);
  const ProgramFacts facts = DescribeProgram(rules);
  return FinishResult(WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    if (arguments.form == "bash") return WriteBashCompletion(facts, out);
    if (arguments.form == "zsh") return WriteZshCompletion(facts, out);
    if (arguments.form == "fish") return WriteFishCompletion(facts, out);
    WriteManualPage(facts, out);
  }));
}

void AddCompletion(CommandLine& line, CompletionArguments& arguments) {
  const std::vector<std::string> forms = {"bash", "zsh", "fish", "man"};
  line.Add("FORM", &arguments.form, llvm::join(forms, "|"), "The shell, or man for the manual page",
           {.check = OneOf(forms), .is_required = true});
  line.Add("-o,--output", &arguments.output, "FILE", "Write the output to a file");
}

}  // namespace

const Command kCompletionCommand = {"completion", "Print shell completions, or the manual page",
                                    kCompletionExamples,
                                    Prepare<CompletionArguments, AddCompletion, RunCompletion>};

}  // namespace shapewise
