// Diagnostic formats, one file each, and shared functions.

#ifndef SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_
#define SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_

#include <string>
#include <string_view>

#include "report/render.h"
#include "shapewise/report/check_writer.h"
#include "shapewise/report/diagnostic_writer.h"

namespace shapewise {

// A format is one file <name>_writer.cc, one line here and one in diagnostic_writers.cc, and
// available in all commands with findings.
DiagnosticFormat::Function WriteConcise;
DiagnosticFormat::Function WriteSarif;
DiagnosticFormat::Function WriteGithub;
DiagnosticFormat::Function WriteGitlab;
DiagnosticFormat::Function WriteJunit;

DocumentFormats<CheckResult, CodeTexts>::Describe DescribeCheck;
CheckFormat::Function WriteCheckJson;
CheckFormat::Function WriteCheckJsonl;

/// The path as services expect it: relative to their folder, without "./".
std::string_view ServicePath(std::string_view file);

/// The message with details in brackets, in one line: "x is read as a number (Encoder.forward; only
/// in training; breaks the graph: GB0124)".
std::string MessageWithDetails(const Diagnostic& diagnostic);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIAGNOSTIC_WRITERS_H_
