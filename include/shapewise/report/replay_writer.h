// Output formats of replays. They compute nothing.

#ifndef SHAPEWISE_REPORT_REPLAY_WRITER_H_
#define SHAPEWISE_REPORT_REPLAY_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/replay_report.h"

namespace shapewise {

/// A format. Stateless; equal results give equal bytes.
class ReplayWriter {
 public:
  virtual ~ReplayWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints the policies that were run.
  virtual void Write(const ReplayReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
  /// Prints the cost by size.
  virtual void Write(const CurveReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// All formats, the default first. They live as long as the program.
const std::vector<const ReplayWriter*>& ReplayWriters();

/// The format called `name`; null: none.
const ReplayWriter* FindReplayWriter(std::string_view name);

/// Writes the curve for `shapewise buckets --cost`: one line per size; missing measurements are
/// empty.
void WriteCostFile(const CurveReport& report, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPLAY_WRITER_H_
