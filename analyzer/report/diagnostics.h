// Results of commands as diagnostics, for the forms that all commands share.

#ifndef SHAPEWISE_REPORT_DIAGNOSTICS_H_
#define SHAPEWISE_REPORT_DIAGNOSTICS_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/result/code_finding.h"
#include "shapewise/result/code_text.h"
#include "shapewise/result/diagnostic.h"

namespace shapewise {

/// Of what `check` says. Lines of notebooks become those of their files, which is where services
/// show them.
DiagnosticReport CheckDiagnostics(const CheckResult& result, const CodeTexts& texts);

/// Of what `lint` says: each finding at the line of code that asks for it, where the log tells,
/// else where the compiled function begins. `session`: what the result was made of.
DiagnosticReport LintDiagnostics(const LintResult& result, const Session& session);

/// "2 warnings and 1 note"; "no findings".
std::string SeveritiesText(const std::vector<Diagnostic>& diagnostics);

/// What a condition means to a reader: of "training" it is "only in training".
std::string ConditionText(std::string_view condition);

/// "model.py:3:7", "notebook.ipynb:cell 2:3:7", or what is known of it.
std::string CodePlaceText(const std::string& file, const CodeRange& range);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIAGNOSTICS_H_
