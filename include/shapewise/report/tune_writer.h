// The forms in which the answer of `tune` can be printed. They compute nothing.

#ifndef SHAPEWISE_REPORT_TUNE_WRITER_H_
#define SHAPEWISE_REPORT_TUNE_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/tune_report.h"

namespace shapewise {

/// One form. Stateless; the same result gives the same bytes.
class TuneWriter {
 public:
  virtual ~TuneWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints the runs and the best action. Texts that came from the program are made harmless for
  /// where they go.
  virtual void Write(const TuneReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// Every form, the default first. They live as long as the program.
const std::vector<const TuneWriter*>& TuneWriters();

/// The form called `name`; null if there is none.
const TuneWriter* FindTuneWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TUNE_WRITER_H_
