#include "report/diagnostic_writers.h"

#include "llvm/ADT/StringExtras.h"
#include "report/builtin_writers.h"
#include "report/diagnostics.h"

namespace shapewise {
namespace {

/// Adapts a diagnostic format to `lint`.
class LintInForm final : public ReportWriter {
 public:
  explicit LintInForm(const DiagnosticWriter& writer) : writer_(writer) {}

  std::string_view name() const override { return writer_.name(); }
  void Write(const LintResult& result, const Session& session, const ReportOptions& options,
             llvm::raw_ostream& out) const override {
    writer_.Write(LintDiagnostics(result, session), options, out);
  }

 private:
  const DiagnosticWriter& writer_;
};

/// Adapts a diagnostic format to `check`.
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

/// All diagnostic formats, adapted to a command.
template <typename InForm>
std::vector<InForm> InForms() {
  std::vector<InForm> forms;
  for (const DiagnosticWriter* writer : DiagnosticWriters()) forms.emplace_back(*writer);
  return forms;
}

/// A command's `own` formats, followed by the diagnostic formats.
template <typename Writer, typename InForm>
std::vector<const Writer*> WithForms(std::vector<const Writer*> own,
                                     const std::vector<InForm>& forms) {
  for (const InForm& form : forms) own.push_back(&form);
  return own;
}

}  // namespace

const std::vector<const DiagnosticWriter*>& DiagnosticWriters() {
#define SHAPEWISE_FORM_ADDRESS(function) &function(),
  static const std::vector<const DiagnosticWriter*> writers = {
      SHAPEWISE_DIAGNOSTIC_FORMS(SHAPEWISE_FORM_ADDRESS)};
#undef SHAPEWISE_FORM_ADDRESS
  return writers;
}

const std::vector<const ReportWriter*>& BuiltinWriters() {
  static const std::vector<LintInForm> forms = InForms<LintInForm>();
#define SHAPEWISE_WRITER_ADDRESS(function) &function(),
  static const std::vector<const ReportWriter*> writers =
      WithForms<ReportWriter>({SHAPEWISE_WRITERS(SHAPEWISE_WRITER_ADDRESS)}, forms);
#undef SHAPEWISE_WRITER_ADDRESS
  return writers;
}

const ReportWriter* FindWriter(std::string_view name) {
  for (const ReportWriter* writer : BuiltinWriters()) {
    if (writer->name() == name) return writer;
  }
  return nullptr;
}

const std::vector<const CheckWriter*>& CheckWriters() {
  static const std::vector<CheckInForm> forms = InForms<CheckInForm>();
  static const std::vector<const CheckWriter*> writers =
      WithForms<CheckWriter>({&CheckTextReport(), &CheckJsonReport(), &CheckJsonlReport()}, forms);
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
