// Writes a run as one self-contained HTML page that loads nothing.

#ifndef SHAPEWISE_REPORT_PAGE_WRITER_H_
#define SHAPEWISE_REPORT_PAGE_WRITER_H_

#include "llvm/Support/raw_ostream.h"
#include "model/session.h"
#include "report/report_writer.h"
#include "result/finding.h"
#include "result/run_page.h"

namespace shapewise {

/// Writes the page of `result` with further facts on the run. The format "html" of LintFormats() is
/// the same with an empty `page`. Input content is plain text in it and cannot load or run anything
/// (analyzer/docs/html-report.md).
void WritePage(const LintResult& result, const Session& session, const RunPage& page,
               const ReportOptions& options, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PAGE_WRITER_H_
