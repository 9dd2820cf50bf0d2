// The formats of replays, one file each.

#ifndef SHAPEWISE_REPORT_REPLAY_WRITERS_H_
#define SHAPEWISE_REPORT_REPLAY_WRITERS_H_

#include "shapewise/report/replay_writer.h"

namespace shapewise {

OutputFormat<ReplayReport>::Function WriteReplayText;
OutputFormat<ReplayReport>::Function WriteReplayJson;
OutputFormat<CurveReport>::Function WriteCurveText;
OutputFormat<CurveReport>::Function WriteCurveJson;

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPLAY_WRITERS_H_
