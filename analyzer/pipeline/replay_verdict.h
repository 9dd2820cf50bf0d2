// What measurements of policies say beside each other.

#ifndef SHAPEWISE_PIPELINE_REPLAY_VERDICT_H_
#define SHAPEWISE_PIPELINE_REPLAY_VERDICT_H_

#include <cstdint>

#include "shapewise/result/replay_report.h"

namespace shapewise {

/// Fills in the verdicts, seconds and break-evens of `report`, and which policy is best. Each
/// policy is judged by the time of a run of `calls` calls, compiling included. Two times whose
/// ranges overlap are equal.
void JudgePolicies(uint64_t calls, ReplayReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_VERDICT_H_
