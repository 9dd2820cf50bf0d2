// One line a finding, as compilers and ruff print them: "model.py:3:7: warning: SWP001 message".
// Editors jump to such places, and grep counts them.

#include <string>

#include "report/formats.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

/// "model.py:3:7: "; a finding without a place in code is at its place in the log.
std::string PlacePrefixOf(const Diagnostic& diagnostic) {
  const bool is_code = !diagnostic.file.empty();
  std::string place(ServicePath(is_code ? diagnostic.file : diagnostic.log));
  if (place.empty()) return "";
  const uint32_t line = is_code ? diagnostic.range.line : diagnostic.log_line;
  if (line != 0) {
    place += ":" + std::to_string(line);
    if (is_code && diagnostic.range.column != 0) {
      place += ":" + std::to_string(diagnostic.range.column);
    }
  }
  return place + ": ";
}

void WriteConcise(const DiagnosticReport& report, const ReportOptions& /*options*/,
                  llvm::raw_ostream& out) {
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.silence != Silence::kNone) continue;
    out << MakePrintable(PlacePrefixOf(diagnostic) +
                         std::string(SeverityName(diagnostic.severity)) + ": " + diagnostic.rule +
                         " " + diagnostic.message)
        << "\n";
  }
  out << MakePrintable(report.verdict) << "\n";
}

}  // namespace

extern SharedFormat ConciseFormat() {
  return {.place = 1, .name = "concise", .write = WriteConcise};
}

}  // namespace shapewise
