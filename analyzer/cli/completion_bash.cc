// bash completion: one function that finds the command, then completes the argument of its last
// option.

#include <string>
#include <vector>

#include "cli/option_tree.h"
#include "llvm/ADT/StringExtras.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

constexpr const char* kHead =
    R"(# Completion of shapewise for bash; `shapewise completion bash` prints it.

_shapewise() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command="" i
  COMPREPLY=()
  # bash takes --format=json apart at the sign.
  if [[ $word == "=" ]]; then
    word=""
  elif [[ $before == "=" ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    # Behind it stand operands, or the words of another program.
    [[ ${COMP_WORDS[i]} == -- ]] && return
    [[ -z $command && ${COMP_WORDS[i]} != -* ]] && command=${COMP_WORDS[i]}
  done
)";

/// Without a reply, bash offers file names; this disables that.
constexpr const char* kOfferNothing = "compopt +o default 2>/dev/null";

constexpr const char* kScriptTail = R"(}
complete -o default -F _shapewise shapewise
)";

void Reply(const std::vector<std::string>& words, llvm::raw_ostream& out) {
  out << R"(COMPREPLY=($(compgen -W ")" << llvm::join(words, " ") << R"(" -- "$word")))";
}

/// "lint:-o|lint:--output"
std::string PatternOf(const CommandFacts& command, const OptionFacts& option) {
  return Joined(option.names, "|",
                [&](const std::string& name) { return command.name + ":" + name; });
}

/// Writes completions for values of options.
void WriteValues(const CommandFacts& command, llvm::raw_ostream& out) {
  for (const OptionFacts& option : command.options) {
    if (option.kind == OfferedValue::kNone || option.is_value_optional) continue;
    out << "    " << PatternOf(command, option) << ") ";
    if (option.kind == OfferedValue::kWords) {
      Reply(option.words, out);
      out << "; ";
    } else if (option.kind == OfferedValue::kText) {
      out << kOfferNothing << "; ";
    }
    out << "return ;;\n";
  }
}

/// Writes the options of a command, and completions for its operands.
void WriteWords(const CommandFacts& command, llvm::raw_ostream& out) {
  std::vector<std::string> names;
  for (const OptionFacts& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  out << "    " << command.name << ":-*) ";
  Reply(names, out);
  out << " ;;\n";
  const OptionFacts* operand = command.operands.empty() ? nullptr : &command.operands.front();
  if (operand != nullptr && operand->kind == OfferedValue::kFiles) return;
  out << "    " << command.name << ":*) " << kOfferNothing;
  if (operand != nullptr && operand->kind == OfferedValue::kWords) {
    out << "; ";
    Reply(operand->words, out);
  }
  out << " ;;\n";
}

}  // namespace

void WriteBashCompletion(const ProgramFacts& facts, llvm::raw_ostream& out) {
  CommandFacts program = facts.program;
  program.name.clear();
  out << kHead << "  case $command:$before in\n";
  WriteValues(program, out);
  for (const CommandFacts& command : facts.commands) WriteValues(command, out);
  out << "  esac\n  case $command:$word in\n";
  OptionFacts names;
  names.kind = OfferedValue::kWords;
  for (const CommandFacts& command : facts.commands) names.words.push_back(command.name);
  program.operands = {names};
  WriteWords(program, out);
  for (const CommandFacts& command : facts.commands) WriteWords(command, out);
  out << "  esac\n" << kScriptTail;
}

}  // namespace shapewise
