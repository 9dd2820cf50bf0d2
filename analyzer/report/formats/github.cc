// Workflow commands of GitHub Actions: annotations on the lines of a pull request.

#include <algorithm>
#include <array>
#include <string>

#include "llvm/ADT/StringExtras.h"
#include "report/formats.h"
#include "report/text_finding.h"
#include "support/terminal_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

// GitHub shows this many annotations per level and step.
constexpr size_t kShownOfLevel = 10;

/// Escapes a message for a workflow command. Property values end at ',' and names at ':'.
std::string Escape(std::string_view text, bool is_property) {
  std::string escaped;
  for (const char c : text) {
    const bool is_special =
        c == '%' || c == '\r' || c == '\n' || (is_property && (c == ',' || c == ':'));
    if (is_special) {
      escaped +=
          "%" + llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/false, /*Width=*/2);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// Control bytes could affect the reader's terminal; line ends are escaped.
std::string MakeHarmless(std::string_view text, bool is_property) {
  const auto printable = [](llvm::StringRef line) { return MakePrintable(line); };
  return Escape(Joined(llvm::split(text, '\n'), "\n", printable), is_property);
}

std::string_view Level(Severity severity) {
  return severity == Severity::kNote ? "notice" : SeverityName(severity);
}

void WriteAnnotation(const Diagnostic& diagnostic, llvm::raw_ostream& out) {
  out << "::" << Level(diagnostic.severity)
      << " title=" << MakeHarmless("shapewise " + diagnostic.rule, true);
  const CodeRange& range = diagnostic.range;
  if (!diagnostic.file.empty()) out << ",file=" << MakeHarmless(ServicePath(diagnostic.file), true);
  if (!diagnostic.file.empty() && range.line != 0) {
    out << ",line=" << range.line;
    if (range.end_line > range.line) {
      // Columns are only valid within one line.
      out << ",endLine=" << range.end_line;
    } else if (range.column != 0) {
      out << ",col=" << range.column;
      if (range.end_column > range.column) out << ",endColumn=" << range.end_column;
    }
  }
  std::string message = MessageWithDetails(diagnostic);
  if (!diagnostic.help.empty()) message += "\n" + diagnostic.help;
  out << "::" << MakeHarmless(message, false) << "\n";
}

void WriteGithub(const DiagnosticReport& report, const ReportOptions& /*options*/,
                 llvm::raw_ostream& out) {
  // Worst and most certain first, because only the first ones are shown.
  std::vector<const Diagnostic*> reported;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.silence == Silence::kNone) reported.push_back(&diagnostic);
  }
  std::ranges::stable_sort(reported, [](const Diagnostic* a, const Diagnostic* b) {
    if (a->severity != b->severity) return a->severity > b->severity;
    if (a->is_repeat != b->is_repeat) return b->is_repeat;
    return a->confidence.value_or(1) > b->confidence.value_or(1);
  });
  std::array<size_t, 3> counts{};
  for (const Diagnostic* diagnostic : reported) {
    ++counts[static_cast<size_t>(diagnostic->severity)];
    WriteAnnotation(*diagnostic, out);
  }
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    const size_t count = counts[static_cast<size_t>(severity)];
    if (count <= kShownOfLevel) continue;
    out << "shapewise: " << Counted(count, SeverityName(severity)) << "; GitHub shows the first "
        << kShownOfLevel << " of a step as annotations\n";
  }
  out << "shapewise " << report.command << ": " << report.verdict << "\n";
}

}  // namespace

extern SharedFormat GithubFormat() { return {.place = 3, .name = "github", .write = WriteGithub}; }

}  // namespace shapewise
