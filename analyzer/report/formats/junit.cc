// JUnit's XML, which every CI service supports: one suite per file, one test case per finding.

#include <map>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "report/formats.h"
#include "report/html_out.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// Escapes `text`, of one line or several, for an attribute or between tags.
std::string XmlLines(std::string_view text) {
  return Joined(llvm::split(text, '\n'), "&#10;",
                [](llvm::StringRef line) { return XmlText(line); });
}

bool IsFailure(const Diagnostic& diagnostic) { return diagnostic.severity >= Severity::kWarning; }

void WriteCase(const Diagnostic& diagnostic, llvm::raw_ostream& out) {
  const std::string place = CodePlaceText(diagnostic.file, diagnostic.range);
  const std::string title =
      place.empty() ? diagnostic.rule : diagnostic.rule + " " + diagnostic.name + " at " + place;
  out << "  <testcase name=\"" << XmlText(title) << "\" classname=\""
      << XmlText(diagnostic.function.empty() ? diagnostic.file : diagnostic.function) << "\"";
  if (!diagnostic.file.empty()) out << " file=\"" << XmlText(ServicePath(diagnostic.file)) << "\"";
  if (diagnostic.range.line != 0) out << " line=\"" << diagnostic.range.line << "\"";
  out << ">\n";
  const std::string message = MessageWithDetails(diagnostic);
  std::string body = place + "\n" + message;
  if (!diagnostic.help.empty()) body += "\n" + diagnostic.help;
  if (IsFailure(diagnostic)) {
    out << "   <failure type=\"" << XmlText(SeverityName(diagnostic.severity)) << "\" message=\""
        << XmlLines(message) << "\">" << XmlLines(body) << "</failure>\n";
  } else {
    out << "   <system-out>" << XmlLines(body) << "</system-out>\n";
  }
  out << "  </testcase>\n";
}

void WriteSuite(const std::string& name, const std::vector<const Diagnostic*>& diagnostics,
                llvm::raw_ostream& out) {
  size_t failures = 0;
  for (const Diagnostic* diagnostic : diagnostics) failures += IsFailure(*diagnostic) ? 1 : 0;
  // A suite without cases is shown as "no tests ran", which looks like a broken job.
  const size_t tests = std::max<size_t>(diagnostics.size(), 1);
  out << " <testsuite name=\"" << XmlText(name) << "\" tests=\"" << tests << "\" failures=\""
      << failures << "\" errors=\"0\">\n";
  if (diagnostics.empty()) {
    out << "  <testcase name=\"no findings\" classname=\"" << XmlText(name) << "\"/>\n";
  }
  for (const Diagnostic* diagnostic : diagnostics) WriteCase(*diagnostic, out);
  out << " </testsuite>\n";
}

void WriteJunit(const DiagnosticReport& report, const ReportOptions& /*options*/,
                llvm::raw_ostream& out) {
  const std::string whole = "shapewise " + report.command;
  std::map<std::string, std::vector<const Diagnostic*>> suites;
  size_t failures = 0;
  size_t tests = 0;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.silence != Silence::kNone) continue;
    suites[diagnostic.file.empty() ? whole : diagnostic.file].push_back(&diagnostic);
    failures += IsFailure(diagnostic) ? 1 : 0;
    ++tests;
  }
  if (suites.empty()) suites[whole];
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"" << whole << "\" tests=\""
      << std::max<size_t>(tests, 1) << "\" failures=\"" << failures << "\" errors=\"0\">\n";
  for (const auto& [name, diagnostics] : suites) WriteSuite(name, diagnostics, out);
  out << "</testsuites>\n";
}

}  // namespace

extern SharedFormat JunitFormat() { return {.place = 5, .name = "junit", .write = WriteJunit}; }

}  // namespace shapewise
