// The report formats of `lint` only: a format is one file <name>_writer.cc and one line here.
// Formats of all commands are listed in diagnostic_writers.h.

#ifndef SHAPEWISE_REPORT_BUILTIN_WRITERS_H_
#define SHAPEWISE_REPORT_BUILTIN_WRITERS_H_

#include "shapewise/report/report_writer.h"

// F(function that returns the writer), the default first.
#define SHAPEWISE_WRITERS(F) \
  F(TextReport)              \
  F(JsonReport)              \
  F(JsonlReport)             \
  F(PerfettoReport)          \
  F(HtmlReport)

namespace shapewise {

#define SHAPEWISE_DECLARE_WRITER(function) const ReportWriter& function();
SHAPEWISE_WRITERS(SHAPEWISE_DECLARE_WRITER)
#undef SHAPEWISE_DECLARE_WRITER

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUILTIN_WRITERS_H_
