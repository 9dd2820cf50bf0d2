// Output formats of replays.

#ifndef SHAPEWISE_REPORT_REPLAY_WRITER_H_
#define SHAPEWISE_REPORT_REPLAY_WRITER_H_

#include <span>
#include <string_view>

#include "llvm/Support/raw_ostream.h"
#include "report/report_writer.h"
#include "result/replay_report.h"

namespace shapewise {

/// A format of both kinds of results: the policies that were run, and the cost by size.
struct ReplayFormat {
  std::string_view name;  ///< value of --format: "text"
  OutputFormat<ReplayReport>::Function* write_replay;
  OutputFormat<CurveReport>::Function* write_curve;

  void Write(const ReplayReport& report, const ReportOptions& options,
             llvm::raw_ostream& out) const {
    write_replay(report, options, out);
  }
  void Write(const CurveReport& report, const ReportOptions& options,
             llvm::raw_ostream& out) const {
    write_curve(report, options, out);
  }
};

/// The formats of `replay`, the default first.
std::span<const ReplayFormat> ReplayFormats();

/// Writes the curve for `shapewise buckets --cost`: one line per size; missing measurements are
/// empty.
void WriteCostFile(const CurveReport& report, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPLAY_WRITER_H_
