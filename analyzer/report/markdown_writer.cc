// Prints diagnostics as a comment on a pull request: a verdict, a table, and collapsed notes.

#include <algorithm>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "report/diagnostic_writers.h"
#include "report/diagnostics.h"
#include "report/markdown_text.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

// GitHub rejects comments of more than 65,536 characters.
constexpr size_t kMostRows = 60;
constexpr size_t kMostBytes = 50'000;
constexpr size_t kMostPlaceBytes = 300;
constexpr size_t kMostTextBytes = 3000;

std::string FixText(const Diagnostic& diagnostic) {
  if (!diagnostic.fix) return {};
  return diagnostic.fix->safe ? " `--fix` does it." : " `--unsafe-fixes` does it.";
}

std::string Row(const Diagnostic& diagnostic) {
  const std::string place = ClipMiddle(
      CodePlaceText(std::string(ServicePath(diagnostic.file)), diagnostic.range), kMostPlaceBytes);
  std::string help =
      MarkdownText(ClipMiddle(diagnostic.help, kMostTextBytes)) + FixText(diagnostic);
  return "| " + (place.empty() ? std::string() : MarkdownCode(place, /*in_table=*/true)) + " | **" +
         std::string(SeverityName(diagnostic.severity)) + " " + MarkdownText(diagnostic.rule) +
         "** " + MarkdownText(ClipMiddle(MessageWithDetails(diagnostic), kMostTextBytes)) + " | " +
         std::string(llvm::StringRef(help).trim()) + " |\n";
}

/// `bytes`: size of all tables so far.
void WriteTable(const std::vector<const Diagnostic*>& rows, size_t& bytes, llvm::raw_ostream& out) {
  out << "| where | what | what to do |\n| --- | --- | --- |\n";
  size_t shown = 0;
  for (const Diagnostic* diagnostic : rows) {
    const std::string row = Row(*diagnostic);
    bytes += row.size();
    if (shown == kMostRows || bytes > kMostBytes) break;
    out << row;
    ++shown;
  }
  if (shown < rows.size()) out << "\n... and " << rows.size() - shown << " more.\n";
}

}  // namespace

void WriteMarkdown(const DiagnosticReport& report, const ReportOptions& /*options*/,
                   llvm::raw_ostream& out) {
  std::vector<const Diagnostic*> causes;
  std::vector<const Diagnostic*> notes;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.silence != Silence::kNone) continue;
    (diagnostic.severity == Severity::kNote ? notes : causes).push_back(&diagnostic);
  }
  std::ranges::stable_sort(
      causes, [](const Diagnostic* a, const Diagnostic* b) { return a->severity > b->severity; });
  size_t bytes = 0;
  out << "### shapewise " << report.command << ": " << MarkdownText(report.verdict) << "\n";
  if (!causes.empty()) {
    out << "\n";
    WriteTable(causes, bytes, out);
  }
  if (!notes.empty()) {
    out << "\n<details><summary>Notes (" << notes.size() << ")</summary>\n\n";
    WriteTable(notes, bytes, out);
    out << "\n</details>\n";
  }
  if (report.remarks.empty() && report.unread.empty()) return;
  out << "\n";
  for (const std::string& remark : report.remarks) out << "- " << MarkdownText(remark) << "\n";
  for (const std::string& message : report.unread) {
    out << "- could not be read: " << MarkdownText(message) << "\n";
  }
}

}  // namespace shapewise
