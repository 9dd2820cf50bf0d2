#include "replay/timing.h"

#include <c10/core/Allocator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace shapewise::replay {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double TimeOnClock(const std::function<void()>& run) {
  const Clock::time_point begin = Clock::now();
  run();
  return SecondsSince(begin);
}

/// Uses c10's events and streams, which need no vendor headers.
double TimeByEvents(const std::function<void()>& run, c10::Device device) {
  const c10::impl::VirtualGuardImpl guard(device.type());
  // Default events are created without a clock.
  c10::Event begin(device.type(), c10::EventFlag::BACKEND_DEFAULT);
  c10::Event end(device.type(), c10::EventFlag::BACKEND_DEFAULT);
  begin.record(guard.getStream(device));
  run();
  end.record(guard.getStream(device));
  end.synchronize();
  return begin.elapsedTime(end) / 1e3;
}

double Quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

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

Timing Measure(const std::function<void()>& run, c10::Device device, const TimingOptions& options) {
  const auto time = [&] { return device.is_cpu() ? TimeOnClock(run) : TimeByEvents(run, device); };
  for (size_t i = 0; i < options.warmup; ++i) time();
  std::vector<double> seconds;
  const Clock::time_point begin = Clock::now();
  while (seconds.size() < std::max<size_t>(1, options.max_runs)) {
    if (seconds.size() >= options.min_runs && SecondsSince(begin) >= options.max_seconds) break;
    seconds.push_back(time());
  }
  std::ranges::sort(seconds);
  return {Quantile(seconds, 0.5), Quantile(seconds, 0.75) - Quantile(seconds, 0.25),
          seconds.size()};
}

int64_t MeasurePeakBytes(const std::function<void()>& run) {
  const auto counter = std::make_shared<ByteCounter>();
  {
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, counter);
    run();
  }
  return counter->peak();
}

}  // namespace shapewise::replay
