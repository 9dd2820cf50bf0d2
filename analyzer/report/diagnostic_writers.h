// Diagnostic formats, one file each, and shared functions.

#ifndef SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_
#define SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_

#include <string>
#include <string_view>

#include "shapewise/report/check_writer.h"
#include "shapewise/report/diagnostic_writer.h"

// F(function that returns the writer): a format is one file <name>_writer.cc and one line here, and
// available in all commands with findings.
#define SHAPEWISE_DIAGNOSTIC_FORMS(F) \
  F(ConciseDiagnostics)               \
  F(SarifDiagnostics)                 \
  F(GithubDiagnostics)                \
  F(GitlabDiagnostics)                \
  F(JunitDiagnostics)                 \
  F(MarkdownDiagnostics)

namespace shapewise {

#define SHAPEWISE_DECLARE_FORM(function) const DiagnosticWriter& function();
SHAPEWISE_DIAGNOSTIC_FORMS(SHAPEWISE_DECLARE_FORM)
#undef SHAPEWISE_DECLARE_FORM

const CheckWriter& CheckTextReport();
const CheckWriter& CheckJsonReport();
const CheckWriter& CheckJsonlReport();

/// The path as services expect it: relative to their folder, without "./".
std::string_view ServicePath(std::string_view file);

/// The message with details in brackets, in one line: "x is read as a number (Encoder.forward; only
/// in training; breaks the graph: GB0124)".
std::string MessageWithDetails(const Diagnostic& diagnostic);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_
