// Output formats of `tune`. They compute nothing.

#ifndef SHAPEWISE_REPORT_TUNE_WRITER_H_
#define SHAPEWISE_REPORT_TUNE_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/tune_report.h"

namespace shapewise {

/// A format. Stateless; equal results give equal bytes.
class TuneWriter {
 public:
  virtual ~TuneWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints the runs and the best action. Texts from the program are escaped for the format.
  virtual void Write(const TuneReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// All formats, the default first. They live as long as the program.
const std::vector<const TuneWriter*>& TuneWriters();

/// The format called `name`; null: none.
const TuneWriter* FindTuneWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TUNE_WRITER_H_
