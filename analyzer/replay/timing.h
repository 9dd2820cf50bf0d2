// Measures a call: its time, and the peak memory of its tensors.

#ifndef SHAPEWISE_REPLAY_TIMING_H_
#define SHAPEWISE_REPLAY_TIMING_H_

#include <c10/core/Device.h>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace shapewise::replay {

/// How much to run.
struct TimingOptions {
  size_t warmup = 3;  ///< runs that are not counted
  size_t min_runs = 5;
  size_t max_runs = 200;
  double max_seconds = 1.0;  ///< after `min_runs`, stop once the runs have taken this long
};

struct Timing {
  double seconds = 0;  ///< median of a run
  double iqr = 0;      ///< interquartile range: third quartile minus first
  size_t runs = 0;
};

/// Times `run`, whose work is on `device`: by the clock on a CPU; by events in the device's stream
/// elsewhere, so that only its own work counts.
Timing Measure(const std::function<void()>& run, c10::Device device, const TimingOptions& options);

/// The peak number of bytes allocated during `run` on any device, as reported by PyTorch's
/// allocators to its profiler.
int64_t MeasurePeakBytes(const std::function<void()>& run);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_TIMING_H_
