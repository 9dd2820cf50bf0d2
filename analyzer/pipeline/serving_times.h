// Computes the time of a run's calls for each way to serve them, from measurements.

#ifndef SHAPEWISE_PIPELINE_SERVING_TIMES_H_
#define SHAPEWISE_PIPELINE_SERVING_TIMES_H_

#include <cstdint>

#include "model/size_history.h"
#include "result/replay_report.h"

namespace shapewise {

/// Fills in the ways of `report` for a run of `steps` calls with the distribution `sizes`: buckets
/// at its boundaries (or at all timed sizes), one dynamic graph, and eager mode. Does nothing if
/// only one way was timed, the largest call fits no bucket, or the smallest is far below all timed
/// sizes.
void CompareServing(const SizeHistogram& sizes, uint64_t steps, CurveReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_SERVING_TIMES_H_
