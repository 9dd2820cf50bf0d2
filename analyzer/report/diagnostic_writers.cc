#include "report/diagnostic_writers.h"

#include "llvm/ADT/StringExtras.h"
#include "report/builtin_writers.h"
#include "report/diagnostics.h"

namespace shapewise {
namespace {

/// A form of diagnostics as a form of `lint`.
class LintInForm final : public ReportWriter {
 public:
  explicit LintInForm(const DiagnosticWriter& writer) : writer_(writer) {}

  std::string_view name() const override { return writer_.name(); }
  void Write(const LintResult& result, const Session& /*session*/, const ReportOptions& options,
             llvm::raw_ostream& out) const override {
    writer_.Write(LintDiagnostics(result), options, out);
  }

 private:
  const DiagnosticWriter& writer_;
};

/// A form of diagnostics as a form of `check`.
class CheckInForm final : public CheckWriter {
 public:
  explicit CheckInForm(const DiagnosticWriter& writer) : writer_(writer) {}

  std::string_view name() const override { return writer_.name(); }
  void Write(const CheckResult& result, const CodeTexts& texts, const ReportOptions& options,
             llvm::raw_ostream& out) const override {
    writer_.Write(CheckDiagnostics(result, texts), options, out);
  }

 private:
  const DiagnosticWriter& writer_;
};

}  // namespace

const std::vector<const DiagnosticWriter*>& DiagnosticWriters() {
  static const std::vector<const DiagnosticWriter*> writers = {
      &SarifDiagnostics(), &GithubDiagnostics(), &GitlabDiagnostics(), &JunitDiagnostics(),
      &MarkdownDiagnostics()};
  return writers;
}

const ReportWriter& SarifReport() {
  static const LintInForm writer(SarifDiagnostics());
  return writer;
}
const ReportWriter& GithubReport() {
  static const LintInForm writer(GithubDiagnostics());
  return writer;
}
const ReportWriter& GitlabReport() {
  static const LintInForm writer(GitlabDiagnostics());
  return writer;
}
const ReportWriter& JunitReport() {
  static const LintInForm writer(JunitDiagnostics());
  return writer;
}
const ReportWriter& MarkdownReport() {
  static const LintInForm writer(MarkdownDiagnostics());
  return writer;
}

const std::vector<const CheckWriter*>& CheckWriters() {
  static const CheckInForm sarif(SarifDiagnostics());
  static const CheckInForm github(GithubDiagnostics());
  static const CheckInForm gitlab(GitlabDiagnostics());
  static const CheckInForm junit(JunitDiagnostics());
  static const CheckInForm markdown(MarkdownDiagnostics());
  static const std::vector<const CheckWriter*> writers = {
      &CheckTextReport(), &CheckJsonReport(), &CheckJsonlReport(), &sarif, &github, &gitlab, &junit,
      &markdown};
  return writers;
}

const CheckWriter* FindCheckWriter(std::string_view name) {
  for (const CheckWriter* writer : CheckWriters()) {
    if (writer->name() == name) return writer;
  }
  return nullptr;
}

std::string_view ServicePath(std::string_view file) {
  while (file.starts_with("./")) {
    file.remove_prefix(2);
    while (file.starts_with('/')) file.remove_prefix(1);
  }
  return file;
}

std::string MessageWithDetails(const Diagnostic& diagnostic) {
  std::vector<std::string> details;
  if (!diagnostic.function.empty()) details.push_back("in " + diagnostic.function);
  details.insert(details.end(), diagnostic.details.begin(), diagnostic.details.end());
  if (!diagnostic.breaks.empty()) {
    details.push_back("breaks the graph: " + llvm::join(diagnostic.breaks, ", "));
  }
  if (details.empty()) return diagnostic.message;
  return diagnostic.message + " (" + llvm::join(details, "; ") + ")";
}

}  // namespace shapewise
