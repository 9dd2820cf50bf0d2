// Output formats for editors and CI services. They print diagnostics of any command.

#ifndef SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_
#define SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_

#include "report/report_writer.h"
#include "result/diagnostic.h"

namespace shapewise {

/// Suppressed diagnostics are printed only by sarif, and marked there.
using DiagnosticFormat = OutputFormat<DiagnosticReport>;

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_
