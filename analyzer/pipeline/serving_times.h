// What the calls of a run cost in each way to serve them, by what was timed.

#ifndef SHAPEWISE_PIPELINE_SERVING_TIMES_H_
#define SHAPEWISE_PIPELINE_SERVING_TIMES_H_

#include <cstdint>

#include "shapewise/model/size_history.h"
#include "shapewise/result/replay_report.h"

namespace shapewise {

/// Fills in the ways of `report`, for a run of `steps` calls whose sizes come as in `sizes`: with
/// buckets at its boundaries (without them at all timed sizes), with one dynamic graph, and eager.
/// Nothing is told where only one way was timed, no bucket holds the largest call, or the smallest
/// is far below all timed sizes.
void CompareServing(const SizeHistogram& sizes, uint64_t steps, CurveReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_SERVING_TIMES_H_
