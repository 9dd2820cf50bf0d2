// The formats of replays, one file each.

#ifndef SHAPEWISE_REPORT_REPLAY_WRITERS_H_
#define SHAPEWISE_REPORT_REPLAY_WRITERS_H_

#include "shapewise/report/replay_writer.h"

namespace shapewise {

const ReplayWriter& ReplayTextReport();
const ReplayWriter& ReplayJsonReport();

/// Prints costs by size as ReplayTextReport() does.
void WriteCurveText(const CurveReport& report, const ReportOptions& options,
                    llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPLAY_WRITERS_H_
