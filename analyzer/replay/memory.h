// Measures the peak memory of tensors.

#ifndef SHAPEWISE_REPLAY_MEMORY_H_
#define SHAPEWISE_REPLAY_MEMORY_H_

#include <cstdint>
#include <functional>

namespace shapewise::replay {

/// The peak number of bytes allocated during `run` on any device, as reported by PyTorch's
/// allocators to its profiler.
int64_t MeasurePeakBytes(const std::function<void()>& run);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_MEMORY_H_
