// The forms of diagnostics, one file each, and what they share.

#ifndef SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_
#define SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_

#include <string>
#include <string_view>

#include "shapewise/report/check_writer.h"
#include "shapewise/report/diagnostic_writer.h"

// F(function that gives the writer): a form is one file <name>_writer.cc and one line here; all
// commands that find something then have it.
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

/// The path as services want it: from the folder that they look from, without "./".
std::string_view ServicePath(std::string_view file);

/// Message, and in brackets what is known beside it, in one line: "x is read as a number
/// (Encoder.forward; only in training; breaks the graph: GB0124)".
std::string MessageWithDetails(const Diagnostic& diagnostic);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_
