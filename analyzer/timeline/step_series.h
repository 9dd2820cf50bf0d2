// The steps of one process in order, and which of them are slow.

#ifndef SHAPEWISE_TIMELINE_STEP_SERIES_H_
#define SHAPEWISE_TIMELINE_STEP_SERIES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/session.h"

namespace shapewise {

/// A step with its place in time.
struct TimedStep {
  double begin = 0;  ///< seconds by the clock of the series; see StepSeries::clock
  double seconds = 0;
  int64_t number = -1;
  uint64_t line = 0;
  uint64_t previous_line = 0;  ///< line of the previous step; 0: it is the first
};

/// The steps of one process in one input.
struct StepSeries {
  uint32_t input = 0;
  int32_t rank = kNoRank;
  StrId process{};
  /// kUnknown: only durations are known, and `begin` counts from the first step without gaps.
  Clock clock = Clock::kUnknown;
  std::vector<TimedStep> steps;  ///< in order of time
  double median = 0;             ///< seconds
  double deviation = 0;          ///< median absolute deviation, seconds
  double total = 0;              ///< seconds
  /// Threshold in seconds for a slow step; absent: too few steps.
  std::optional<double> slow_from;

  bool IsSlow(const TimedStep& step) const { return slow_from && step.seconds >= *slow_from; }
};

/// Every series of `session`, by input, rank and process.
std::vector<StepSeries> FindStepSeries(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_STEP_SERIES_H_
