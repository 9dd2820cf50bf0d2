// How many bytes of tensors live at once.

#ifndef SHAPEWISE_REPLAY_MEMORY_H_
#define SHAPEWISE_REPLAY_MEMORY_H_

#include <cstdint>
#include <functional>

namespace shapewise::replay {

/// The most bytes that live at once of what is allocated during `run`, on any device: what the
/// allocators of PyTorch tell its profiler.
int64_t MeasurePeakBytes(const std::function<void()>& run);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_MEMORY_H_
