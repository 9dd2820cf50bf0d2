// A run as one page for a browser: everything is in the file, nothing is fetched.

#ifndef SHAPEWISE_REPORT_PAGE_WRITER_H_
#define SHAPEWISE_REPORT_PAGE_WRITER_H_

#include "llvm/Support/raw_ostream.h"
#include "shapewise/model/session.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/finding.h"
#include "shapewise/result/run_page.h"

namespace shapewise {

/// Writes the page of `result` and of what else is known of the run. The form "html" of
/// FindWriter() is the same with an empty `page`. Whatever an input holds is text in it, and can
/// load or run nothing (analyzer/docs/html-report.md).
void WritePage(const LintResult& result, const Session& session, const RunPage& page,
               const ReportOptions& options, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PAGE_WRITER_H_
