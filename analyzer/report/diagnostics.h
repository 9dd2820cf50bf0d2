// Converts results of commands to diagnostics, for the formats that all commands share.

#ifndef SHAPEWISE_REPORT_DIAGNOSTICS_H_
#define SHAPEWISE_REPORT_DIAGNOSTICS_H_

#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"
#include "result/code_finding.h"
#include "result/code_text.h"
#include "result/diagnostic.h"

namespace shapewise {

/// For results of `check`. Lines of notebooks become lines of their files, where services show
/// them.
DiagnosticReport CheckDiagnostics(const CheckResult& result, const CodeTexts& texts);

/// For results of `lint`: each finding is placed at the line of code that triggers it, if logged,
/// else at the start of the compiled function. `session`: the session of the result.
DiagnosticReport LintDiagnostics(const LintResult& result, const Session& session);

/// "2 warnings and 1 note"; "no findings".
std::string SeveritiesText(const std::vector<Diagnostic>& diagnostics);

/// A condition in words: "only in training" for "training".
std::string ConditionText(std::string_view condition);

/// "model.py:3:7", "notebook.ipynb:cell 2:3:7", or the known part of it.
std::string CodePlaceText(const std::string& file, const CodeRange& range);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIAGNOSTICS_H_
