// How a running total changes over the steps of a run.

#ifndef SHAPEWISE_CAUSES_COUNT_SERIES_H_
#define SHAPEWISE_CAUSES_COUNT_SERIES_H_

#include <cstdint>
#include <map>
#include <optional>

namespace shapewise {

/// Compilations per step since the start above which PyTorch/XLA's own profiler reports them as
/// frequent.
inline constexpr double kFrequentRate = 0.5;

/// Trend of a running total.
enum class CountTrend : uint8_t {
  kUnclear,  ///< too few points
  kStopped,  ///< no longer rises
  kRare,     ///< rises in fewer than three steps of ten
  kGrowing,  ///< keeps rising with the steps
};

/// The result of fitting a series.
struct CountFit {
  CountTrend trend = CountTrend::kUnclear;
  bool is_rising = false;  ///< the last point is higher than the one before
  /// Rise per step: over the later half if the trend is known, else over the whole series; with one
  /// point, since the start.
  std::optional<double> rate;
  int64_t steps = 0;  ///< at the last point
  int64_t count = 0;  ///< at the last point
  int64_t since = 0;  ///< the first step at which `count` was reached
};

/// Points (steps, count) of a counter that is printed as a running total, which must never be added
/// up.
///
/// The later half of the points decides, because every run compiles at its start. Judging takes
/// three points over at least five steps; after a hundred steps, when the start is over, one point
/// is enough.
class CountSeries {
 public:
  /// Adds a point. Several processes that print to one stream give several counts for one step: the
  /// largest is kept. Negative numbers are ignored.
  void Add(int64_t steps, int64_t count);

  bool empty() const { return count_at_.empty(); }

  /// Judges the points of a log that ran at least from step 0 to `last_step`. A profiler that fell
  /// silent five steps earlier no longer considers the count frequent: such a series is not
  /// kGrowing.
  CountFit Fit(int64_t last_step) const;

 private:
  int64_t CountAt(int64_t step) const;

  std::map<int64_t, int64_t> count_at_;  // by steps
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_COUNT_SERIES_H_
