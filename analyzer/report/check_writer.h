// Output formats of `check`.

#ifndef SHAPEWISE_REPORT_CHECK_WRITER_H_
#define SHAPEWISE_REPORT_CHECK_WRITER_H_

#include <span>

#include "llvm/Support/raw_ostream.h"
#include "report/report_writer.h"
#include "result/code_finding.h"
#include "result/code_text.h"

namespace shapewise {

/// Prints a result; the texts contain the code that it mentions.
using CheckFormat = OutputFormat<CheckResult, CodeTexts>;

/// The formats of `check`, the default first.
std::span<const CheckFormat> CheckFormats();

/// Prints the number of findings of each rule, most first: as a table, or as one JSON object.
void WriteCheckStatistics(const CheckResult& result, bool as_json, const ReportOptions& options,
                          llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_CHECK_WRITER_H_
