#include "report/replay_writers.h"

#include "llvm/Support/FormatVariadic.h"

namespace shapewise {

const std::vector<const ReplayWriter*>& ReplayWriters() {
  static const std::vector<const ReplayWriter*> writers = {&ReplayTextReport(),
                                                           &ReplayJsonReport()};
  return writers;
}

const ReplayWriter* FindReplayWriter(std::string_view name) {
  for (const ReplayWriter* writer : ReplayWriters()) {
    if (writer->name() == name) return writer;
  }
  return nullptr;
}

void WriteCostFile(const CurveReport& report, llvm::raw_ostream& out) {
  out << "size,seconds\n";
  for (const CurveReport::Point& point : report.points) {
    out << point.size << "," << llvm::formatv("{0:E6}", point.seconds.value) << "\n";
  }
}

}  // namespace shapewise
