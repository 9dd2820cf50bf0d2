// The formats of replays, one file each.

#ifndef SHAPEWISE_REPORT_REPLAY_WRITERS_H_
#define SHAPEWISE_REPORT_REPLAY_WRITERS_H_

#include "report/render.h"
#include "shapewise/report/replay_writer.h"

namespace shapewise {

DocumentFormats<ReplayReport>::Describe DescribeReplay;
OutputFormat<ReplayReport>::Function WriteReplayJson;
DocumentFormats<CurveReport>::Describe DescribeCurve;
OutputFormat<CurveReport>::Function WriteCurveJson;

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPLAY_WRITERS_H_
