#include "causes/count_series.h"

#include <algorithm>
#include <iterator>

namespace shapewise {
namespace {

constexpr size_t kMinPoints = 3;
constexpr int64_t kMinSpan = 5;    // minimum number of steps between the first point and the last
constexpr int64_t kLongRun = 100;  // after this many steps a single point is enough
constexpr double kGrowingRate = 0.3;  // per step, in the later half
constexpr int64_t kSilentSteps = 5;   // after the last point, while others go on

double Rate(int64_t counts, int64_t steps) {
  return static_cast<double>(counts) / static_cast<double>(steps);
}

}  // namespace

void CountSeries::Add(int64_t steps, int64_t count) {
  if (steps < 0 || count < 0) return;
  int64_t& known = count_at_.try_emplace(steps, count).first->second;
  known = std::max(known, count);
}

/// The count of the last point at or before `step`.
int64_t CountSeries::CountAt(int64_t step) const {
  return std::prev(count_at_.upper_bound(step))->second;
}

CountFit CountSeries::Fit(int64_t last_step) const {
  CountFit fit;
  if (count_at_.empty()) return fit;
  const auto first = count_at_.begin();
  const auto last = std::prev(count_at_.end());
  fit.steps = last->first;
  fit.count = last->second;
  fit.since = std::find_if(first, count_at_.end(), [&](const auto& point) {
                return point.second >= fit.count;
              })->first;
  fit.is_rising = first != last && std::prev(last)->second < fit.count;
  // The sum may overflow; the difference of two non-negative numbers cannot.
  const bool fell_silent = last_step - fit.steps >= kSilentSteps;

  const int64_t span = fit.steps - first->first;
  if (count_at_.size() < kMinPoints || span < kMinSpan) {
    if (span > 0) {
      fit.rate = Rate(fit.count - first->second, span);
    } else if (fit.steps > 0) {
      fit.rate = Rate(fit.count, fit.steps);
    }
    if (fell_silent) {
      fit.trend = CountTrend::kStopped;
    } else if (span == 0 && fit.steps >= kLongRun && *fit.rate >= kFrequentRate) {
      fit.trend = CountTrend::kGrowing;
    }
    return fit;
  }

  // The half and the last quarter begin at points, so that no rate covers unseen steps.
  const int64_t half = std::prev(count_at_.upper_bound(first->first + span / 2))->first;
  const int64_t late_rise = fit.count - CountAt(half);
  const bool rose_last = fit.count > CountAt(fit.steps - std::max<int64_t>(span / 4, 1));
  fit.rate = Rate(late_rise, fit.steps - half);
  if (late_rise <= 0) {
    fit.trend = CountTrend::kStopped;
  } else if (*fit.rate >= kGrowingRate && rose_last && !fell_silent) {
    fit.trend = CountTrend::kGrowing;
  } else {
    fit.trend = CountTrend::kRare;
  }
  return fit;
}

}  // namespace shapewise
