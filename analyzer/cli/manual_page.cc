#include "cli/option_tree.h"

#include <string>
#include <string_view>

#include "llvm/ADT/StringExtras.h"

namespace shapewise {
namespace {

constexpr const char* kManualTail = R"(.SH EXIT STATUS
.TP
.B 0
no findings at or above
.B \-\-fail\-on
.TP
.B 1
findings at or above
.B \-\-fail\-on
.TP
.B 2
the command failed: wrong usage, unreadable input, broken output
.SH ENVIRONMENT
.TP
.B NO_COLOR
turns colors off if it is set and not empty
.TP
.B CLICOLOR_FORCE
turns colors on even if the output is not a terminal
.TP
.B VIRTUAL_ENV
the environment whose Python runs the programs of
.B shapewise replay
.SH FILES
.TP
.I pyproject.toml
settings in the table
.B [tool.shapewise]
of the nearest file, in the current folder or above it
.TP
.I shapewise.toml
the same settings at the top level; takes precedence over a
.I pyproject.toml
in the same folder
)";

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

}  // namespace

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
  out << kManualTail;
}

}  // namespace shapewise
