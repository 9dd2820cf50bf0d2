// Shell completions, and the manual page.

#include "cli/commands.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "rules/rule_set.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// Names of values that are files, or begin with one: "FILE.py:NAME".
constexpr std::array<std::string_view, 6> kFileValues = {"FILE", "DIR",  "PATH",
                                                         "RUN",  "SPEC", "LADDER"};

/// The words in "text|json"; empty if the value is not a choice of words, such as "PLAN|LOG".
std::vector<std::string> WordsOf(llvm::StringRef value) {
  if (!value.contains('|') ||
      value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_|") != llvm::StringRef::npos) {
    return {};
  }
  llvm::SmallVector<llvm::StringRef, 8> words;
  value.split(words, '|');
  return {words.begin(), words.end()};
}

/// Sets what a shell offers for the value of an option or operand. `rules`: codes of rules.
void SetOffer(const std::vector<std::string>& rules, OptionFacts& option) {
  const bool is_operand = !option.names.front().starts_with('-');
  if (!is_operand && option.value.empty()) return;
  const bool takes_rules = option.value == "RULES" || option.names.front() == "RULE";
  option.words = takes_rules ? rules : WordsOf(option.value);
  option.kind = !option.words.empty()                                         ? OfferedValue::kWords
                : is_operand || llvm::is_contained(kFileValues, option.value) ? OfferedValue::kFiles
                                                                              : OfferedValue::kText;
}

CommandFacts NewFacts(const char* name, const char* description, std::string footer) {
  return {name,
          description,
          std::move(footer),
          {{.names = {"-h", "--help"}, .description = kHelpHelp},
           {.names = {"--version"}, .description = kVersionHelp}},
          {}};
}

/// The options of the program and of all commands.
ProgramFacts DescribeProgram() {
  std::vector<std::string> rules;
  for (const RuleHead* rule : RuleSet::Builtin().Heads()) rules.emplace_back(rule->code);
  ProgramFacts facts{NewFacts("shapewise", kProgramSummary, kProgramFooter), {}};
  for (const Command* command : Commands()) {
    CommandFacts described =
        NewFacts(command->name, command->summary, HelpText(std::string(command->name) + ".txt"));
    // What it returns holds the variables of the options, which are not needed any more.
    (void)command->prepare(CommandLine(described));
    for (OptionFacts& option : described.options) SetOffer(rules, option);
    for (OptionFacts& operand : described.operands) SetOffer(rules, operand);
    facts.commands.push_back(std::move(described));
  }
  return facts;
}

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

/// A script to source in bash; needs no completion package.
void WriteBashCompletion(const ProgramFacts& facts, llvm::raw_ostream& out) {
  CommandFacts program = facts.program;
  program.name.clear();
  out << HelpText("bash.head") << "\n  case $command:$before in\n";
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

/// A function `_shapewise` for a folder in zsh's fpath; may also be sourced.
void WriteZshCompletion(const ProgramFacts& facts, llvm::raw_ostream& out) {
  out << HelpText("zsh.head") << "\n  commands=(\n";
  for (const CommandFacts& command : facts.commands) {
    out << "    '" << command.name << ":" << Escaped(command.description) << "'\n";
  }
  out << "  )\n  _arguments -C";
  for (const OptionFacts& option : facts.program.options) out << " \\\n    " << OptionSpec(option);
  out << " \\\n    '1:command:->command' \\\n    '*::argument:->argument' && ret=0\n"
      << "  case $state in\n"
      << "    command) _describe -t commands command commands && ret=0 ;;\n"
      << "    argument)\n"
      << "      curcontext=\"${curcontext%:*:*}:shapewise-$line[1]:\"\n"
      << "      case $line[1] in\n";
  for (const CommandFacts& command : facts.commands) WriteArguments(command, out);
  out << HelpText("zsh.tail") << "\n";
}

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

/// A list of `complete` commands for fish.
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

/// `text` escaped for roff. `is_literal`: print hyphens as minus signs, so that text copied from
/// the page can be pasted.
std::string Roff(std::string_view text, bool is_literal) {
  std::string escaped;
  bool is_line_begin = true;
  for (const char c : text) {
    if (is_line_begin && (c == '.' || c == '\'')) escaped += "\\&";
    is_line_begin = c == '\n';
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-' && is_literal) {
      escaped += "\\-";
    } else if (c == '`' && is_literal) {
      escaped += "\\(ga";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// "\fIFILE\fR", if the option takes a value.
std::string ValueText(const OptionFacts& option) {
  if (option.kind == OfferedValue::kNone) return {};
  const std::string value = "\\fI" + Roff(option.value, /*is_literal=*/true) + "\\fR";
  return option.is_value_optional ? " [" + value + "]" : " " + value;
}

std::string NamesText(const OptionFacts& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += (text.empty() ? "\\fB" : ", \\fB") + Roff(name, /*is_literal=*/true) + "\\fR";
  }
  return text;
}

/// "[PATH...]"
std::string OperandText(const OptionFacts& operand) {
  const std::string name = "\\fI" + Roff(operand.names.front(), /*is_literal=*/true) + "\\fR" +
                           (operand.is_repeatable ? "..." : "");
  return operand.is_required ? name : "[" + name + "]";
}

void WriteEntry(const std::string& head, const std::string& description, llvm::raw_ostream& out) {
  out << ".TP\n" << head << "\n" << Roff(description, /*is_literal=*/false) << "\n";
}

void WriteCommand(const CommandFacts& command, llvm::raw_ostream& out) {
  out << ".SS shapewise " << command.name << "\n"
      << "\\fBshapewise " << command.name << "\\fR [\\fIOPTION\\fR]...";
  for (const OptionFacts& operand : command.operands) out << " " << OperandText(operand);
  out << "\n.PP\n" << Roff(command.description, /*is_literal=*/false) << ".\n";
  for (const OptionFacts& operand : command.operands) {
    WriteEntry("\\fI" + operand.names.front() + "\\fR", operand.description, out);
  }
  for (const OptionFacts& option : command.options) {
    // Options of all commands are described once for the program.
    if (option.names.back() == "--help" || option.names.back() == "--version") continue;
    WriteEntry(NamesText(option) + ValueText(option), option.description, out);
  }
  if (command.footer.empty()) return;
  out << ".PP\n.nf\n" << Roff(command.footer, /*is_literal=*/true) << "\n.fi\n";
}

/// "reports what recompiles": lower case, no full stop.
std::string Clause(std::string sentence) {
  if (!sentence.empty()) sentence.front() = llvm::toLower(sentence.front());
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return sentence;
}

/// shapewise(1), with the macros of man(7). It contains no date, so that the output is
/// reproducible.
void WriteManualPage(const ProgramFacts& facts, llvm::raw_ostream& out) {
  out << ".TH SHAPEWISE 1 \"\" \"shapewise " SHAPEWISE_VERSION "\" \"User Commands\"\n"
      << ".SH NAME\nshapewise \\- " << Clause(facts.program.description) << "\n"
      << ".SH SYNOPSIS\n"
      << "\\fBshapewise\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIPATH\\fR]...\n"
      << ".SH DESCRIPTION\n"
      << Roff(facts.program.description, /*is_literal=*/false) << "\n"
      << "The commands are:\n";
  for (const CommandFacts& command : facts.commands) {
    WriteEntry("\\fB" + command.name + "\\fR", Clause(command.description), out);
  }
  out << ".SH OPTIONS\nThese hold for the program and for every command.\n";
  for (const OptionFacts& option : facts.program.options) {
    WriteEntry(NamesText(option) + ValueText(option), option.description, out);
  }
  out << ".SH COMMANDS\n";
  for (const CommandFacts& command : facts.commands) WriteCommand(command, out);
  out << HelpText("manual.tail") << "\n";
}

struct CompletionArguments {
  std::string form;
  std::string output;
};

Expected<ExitStatus> RunCompletion(const CompletionArguments& arguments) {
  const ProgramFacts facts = DescribeProgram();
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

const Command kCompletionCommand = {17, "completion", "Print shell completions, or the manual page",
                                    Prepare<CompletionArguments, AddCompletion, RunCompletion>};

}  // namespace shapewise
