#include "replay/memory.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace shapewise::replay {
namespace {

/// Freed memory, such as that of inputs, was not always allocated while counting.
class ByteCounter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*pointer*/, int64_t size, size_t /*total_allocated*/,
                         size_t /*total_reserved*/, c10::Device /*device*/) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_ += size;
    peak_ = std::max(peak_, bytes_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  std::mutex mutex_;
  int64_t bytes_ = 0;
  int64_t peak_ = 0;
};

}  // namespace

int64_t MeasurePeakBytes(const std::function<void()>& run) {
  const auto counter = std::make_shared<ByteCounter>();
  {
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, counter);
    run();
  }
  return counter->peak();
}

}  // namespace shapewise::replay
