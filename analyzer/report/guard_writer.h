// Output formats of a guard analysis.

#ifndef SHAPEWISE_REPORT_GUARD_WRITER_H_
#define SHAPEWISE_REPORT_GUARD_WRITER_H_

#include <span>
#include <vector>

#include "report/report_writer.h"
#include "result/guard_report.h"

namespace shapewise {

/// Prints a report; the texts are the names of the inputs.
using GuardFormat = OutputFormat<GuardReport, std::vector<std::string>>;

/// The formats of `guards`, the default first.
std::span<const GuardFormat> GuardFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GUARD_WRITER_H_
