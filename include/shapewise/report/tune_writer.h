// Output formats of `tune`.

#ifndef SHAPEWISE_REPORT_TUNE_WRITER_H_
#define SHAPEWISE_REPORT_TUNE_WRITER_H_

#include <span>

#include "shapewise/report/report_writer.h"
#include "shapewise/result/tune_report.h"

namespace shapewise {

using TuneFormat = OutputFormat<TuneReport>;

/// The formats of `tune`, the default first.
std::span<const TuneFormat> TuneFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TUNE_WRITER_H_
