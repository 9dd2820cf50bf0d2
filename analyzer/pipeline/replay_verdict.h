// Compares measurements of policies.

#ifndef SHAPEWISE_PIPELINE_REPLAY_VERDICT_H_
#define SHAPEWISE_PIPELINE_REPLAY_VERDICT_H_

#include <cstdint>

#include "shapewise/result/replay_report.h"

namespace shapewise {

/// Fills in the verdicts, seconds and break-evens of `report`, and the best policy. Policies are
/// compared by the time of `calls` calls including compiling; overlapping ranges are equal.
void JudgePolicies(uint64_t calls, ReplayReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_VERDICT_H_
