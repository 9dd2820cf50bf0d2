#include "replay/timing.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
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
  std::sort(seconds.begin(), seconds.end());
  return {Quantile(seconds, 0.5), Quantile(seconds, 0.75) - Quantile(seconds, 0.25),
          seconds.size()};
}

}  // namespace shapewise::replay
