// The forms in which replays can be printed. They compute nothing.

#ifndef SHAPEWISE_REPORT_REPLAY_WRITER_H_
#define SHAPEWISE_REPORT_REPLAY_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/replay_report.h"

namespace shapewise {

/// One form. Stateless; the same result gives the same bytes.
class ReplayWriter {
 public:
  virtual ~ReplayWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints policies that were run.
  virtual void Write(const ReplayReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
  /// Prints what sizes of a graph cost.
  virtual void Write(const CurveReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// Every form, the default first. They live as long as the program.
const std::vector<const ReplayWriter*>& ReplayWriters();

/// The form called `name`; null if there is none.
const ReplayWriter* FindReplayWriter(std::string_view name);

/// The curve as `shapewise buckets --cost` reads it: a line a size; what was not timed is empty.
void WriteCostFile(const CurveReport& report, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPLAY_WRITER_H_
