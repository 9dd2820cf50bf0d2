// The report formats of `lint` only, one file <name>_writer.cc each. Formats of all commands are
// listed in diagnostic_writers.h.

#ifndef SHAPEWISE_REPORT_BUILTIN_WRITERS_H_
#define SHAPEWISE_REPORT_BUILTIN_WRITERS_H_

#include "report/render.h"
#include "shapewise/report/report_writer.h"

namespace shapewise {

DocumentFormats<LintResult, Session>::Describe DescribeLint;
LintFormat::Function WriteLintJson;
LintFormat::Function WriteLintJsonl;
LintFormat::Function WriteLintPerfetto;
LintFormat::Function WriteLintHtml;

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUILTIN_WRITERS_H_
