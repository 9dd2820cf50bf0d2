// fish completion: one line per command and option.

#include <string>

#include "cli/option_tree.h"
#include "llvm/ADT/StringExtras.h"

namespace shapewise {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "'";
}

/// The condition that `command` was given.
std::string After(const CommandFacts& command) {
  return "-n '__fish_seen_subcommand_from " + command.name + "'";
}

/// " -r -F", or other completions for the value.
std::string ValueArguments(const OptionFacts& option) {
  const std::string required = option.is_value_optional ? "" : " -r";
  switch (option.kind) {
    case OfferedValue::kNone:
      return {};
    case OfferedValue::kFiles:
      return required + " -F";
    case OfferedValue::kWords:
      return required + " -f -a " + Quoted(llvm::join(option.words, " "));
    case OfferedValue::kText:
      break;
  }
  return required + " -f";
}

void WriteOption(const std::string& condition, const OptionFacts& option, llvm::raw_ostream& out) {
  out << "complete -c shapewise " << condition;
  for (const std::string& name : option.names) {
    out << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
  }
  out << ValueArguments(option) << " -d " << Quoted(option.description) << "\n";
}

}  // namespace

void WriteFishCompletion(const ProgramFacts& facts, llvm::raw_ostream& out) {
  const std::string first = "-n __fish_use_subcommand";
  out << "# Completion of shapewise for fish; `shapewise completion fish` prints it.\n"
      << "complete -c shapewise -f\n";
  for (const OptionFacts& option : facts.program.options) WriteOption(first, option, out);
  for (const CommandFacts& command : facts.commands) {
    out << "complete -c shapewise " << first << " -a " << command.name << " -d "
        << Quoted(command.description) << "\n";
  }
  for (const CommandFacts& command : facts.commands) {
    const std::string condition = After(command);
    for (const OptionFacts& option : command.options) WriteOption(condition, option, out);
    for (const OptionFacts& operand : command.operands) {
      if (operand.kind == OfferedValue::kFiles) {
        out << "complete -c shapewise " << condition << " -F\n";
      } else if (operand.kind == OfferedValue::kWords) {
        out << "complete -c shapewise " << condition << " -f -a "
            << Quoted(llvm::join(operand.words, " ")) << "\n";
      }
    }
  }
}

}  // namespace shapewise
