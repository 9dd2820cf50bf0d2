// GitLab's Code Quality report: a list of issues in Code Climate's format.

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "support/enum_name.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

std::string_view GitlabSeverity(Severity severity) {
  return EnumName<Severity::kError>(severity, {"info", "major", "critical"});
}

/// GitLab drops issues without a file. A finding without a place in code uses its place in the log.
std::string_view PathOf(const Diagnostic& diagnostic) {
  return ServicePath(diagnostic.file.empty() ? diagnostic.log : diagnostic.file);
}

Json Location(const Diagnostic& diagnostic) {
  CodeRange range = diagnostic.range;
  if (diagnostic.file.empty()) range = {.line = diagnostic.log_line, .end_line = 0};
  Json location = {{"path", ToUtf8(PathOf(diagnostic))}};
  // GitLab drops issues without a line.
  const uint32_t line = std::max(range.line, 1U);
  if (range.column == 0) {
    location["lines"] = {{"begin", line}, {"end", std::max(range.end_line, line)}};
  } else {
    location["positions"] = {
        {"begin", {{"line", line}, {"column", range.column}}},
        {"end", {{"line", std::max(range.end_line, line)}, {"column", range.end_column}}}};
  }
  return location;
}

/// GitLab drops issues with a repeated fingerprint. Our fingerprints are equal for similar code in
/// files with the same name, so the path is added, and a number if that is not enough.
class Fingerprints {
 public:
  std::string Of(const Diagnostic& diagnostic) {
    const std::string text = diagnostic.fingerprint + "\n" + diagnostic.rule + "\n" +
                             std::string(PathOf(diagnostic)) + "\n" +
                             (diagnostic.fingerprint.empty() ? diagnostic.message : "");
    const std::string fingerprint =
        llvm::utohexstr(llvm::xxHash64(text), /*LowerCase=*/true, /*Width=*/16);
    const size_t earlier = times_[fingerprint]++;
    return earlier == 0 ? fingerprint : fingerprint + "-" + std::to_string(earlier + 1);
  }

 private:
  std::map<std::string, size_t> times_;
};

void WriteGitlab(const DiagnosticReport& report, const ReportOptions& /*options*/,
                 llvm::raw_ostream& out) {
  Fingerprints fingerprints;
  const char* separator = "\n ";
  out << "[";
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.silence != Silence::kNone) continue;
    // GitLab's widget does not show check_name.
    const Json issue = {
        {"check_name", diagnostic.rule + " " + diagnostic.name},
        {"description", ToUtf8(diagnostic.rule + ": " + MessageWithDetails(diagnostic))},
        {"severity", GitlabSeverity(diagnostic.severity)},
        {"fingerprint", fingerprints.Of(diagnostic)},
        {"location", Location(diagnostic)}};
    out << separator << JsonText(issue);
    separator = ",\n ";
  }
  out << "\n]\n";
}

}  // namespace

extern SharedFormat GitlabFormat() { return {.place = 4, .name = "gitlab", .write = WriteGitlab}; }

}  // namespace shapewise
