// Output formats of `tune`.

#ifndef SHAPEWISE_REPORT_TUNE_WRITER_H_
#define SHAPEWISE_REPORT_TUNE_WRITER_H_

#include <span>

#include "report/report_writer.h"
#include "result/tune_report.h"

namespace shapewise {

using TuneFormat = OutputFormat<TuneReport>;

/// The formats of `tune`, the default first.
std::span<const TuneFormat> TuneFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TUNE_WRITER_H_
