// zsh completion: the program's own arguments, then one call of _arguments for each command.

#include <string>
#include <vector>

#include "cli/option_tree.h"
#include "llvm/ADT/StringExtras.h"

namespace shapewise {
namespace {

constexpr const char* kZshHead = R"(#compdef shapewise
# Completion of shapewise for zsh; `shapewise completion zsh` prints it.

_shapewise() {
  local curcontext="$curcontext" state line ret=1
  local -a commands
)";

constexpr const char* kZshTail = R"(      esac
      ;;
  esac
  return ret
}

# Called by the completion system, or sourced.
if [ "$funcstack[1]" = "_shapewise" ]; then
  _shapewise "$@"
else
  compdef _shapewise shapewise
fi
)";

/// `text` for single quotes, with colons and brackets escaped for _arguments.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += R"('\'')";
      continue;
    }
    if (c == '\\' || c == ':' || c == '[' || c == ']') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

/// ":FILE:_files"; an empty value name is replaced by a blank.
std::string ValueSpec(const OptionFacts& option, const std::string& name) {
  if (option.kind == OfferedValue::kNone) return {};
  std::string spec = option.is_value_optional ? "::" : ":";
  spec += Escaped(name) + ":";
  switch (option.kind) {
    case OfferedValue::kWords:
      return spec + "(" + llvm::join(option.words, " ") + ")";
    case OfferedValue::kFiles:
      return spec + "_files";
    case OfferedValue::kText:
    case OfferedValue::kNone:
      break;
  }
  return spec + " ";
}

/// '(-o --output)'{-o,--output=}'[Write the result to a file]:FILE:_files'
std::string OptionSpec(const OptionFacts& option) {
  const bool has_value = option.kind != OfferedValue::kNone;
  std::vector<std::string> names;
  names.reserve(option.names.size());
  for (const std::string& name : option.names) {
    // zsh accepts the value in the same word or in the next one.
    names.push_back(!has_value ? name : name.starts_with("--") ? name + "=" : name + "+");
  }
  const std::string rest =
      "[" + Escaped(option.description) + "]" + ValueSpec(option, option.value) + "'";
  if (option.is_repeatable) {
    std::string spec;
    for (const std::string& name : names) {
      spec += spec.empty() ? "'*" : " '*";
      spec += name;
      spec += rest;
    }
    return spec;
  }
  if (names.size() == 1) return "'" + names.front() + rest;
  return "'(" + llvm::join(option.names, " ") + ")'{" + llvm::join(names, ",") + "}'" + rest;
}

void WriteArguments(const CommandFacts& command, llvm::raw_ostream& out) {
  out << "        " << command.name << ")\n          _arguments";
  for (const OptionFacts& option : command.options)
    out << " \\\n            " << OptionSpec(option);
  size_t number = 1;
  for (const OptionFacts& operand : command.operands) {
    const std::string spec = ValueSpec(operand, operand.names.front()) + "'";
    out << " \\\n            '" << (operand.is_repeatable ? "*" : std::to_string(number)) << spec;
    ++number;
  }
  out << " && ret=0\n          ;;\n";
}

}  // namespace

void WriteZshCompletion(const ProgramFacts& facts, llvm::raw_ostream& out) {
  out << kZshHead << "  commands=(\n";
  for (const CommandFacts& command : facts.commands) {
    out << "    '" << command.name << ":" << Escaped(command.description) << "'\n";
  }
  out << "  )\n  _arguments -C";
  for (const OptionFacts& option : facts.program.options) {
    out << " \\\n    " << OptionSpec(option);
  }
  out << " \\\n    '1:command:->command' \\\n    '*::argument:->argument' && ret=0\n"
      << "  case $state in\n"
      << "    command) _describe -t commands command commands && ret=0 ;;\n"
      << "    argument)\n"
      << "      curcontext=\"${curcontext%:*:*}:shapewise-$line[1]:\"\n"
      << "      case $line[1] in\n";
  for (const CommandFacts& command : facts.commands) WriteArguments(command, out);
  out << kZshTail;
}

}  // namespace shapewise
