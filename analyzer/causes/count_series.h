// How a running total moves with the steps of a run.

#ifndef SHAPEWISE_CAUSES_COUNT_SERIES_H_
#define SHAPEWISE_CAUSES_COUNT_SERIES_H_

#include <cstdint>
#include <map>
#include <optional>

namespace shapewise {

/// Compilations per step since the start from which PyTorch/XLA's own profiler calls them frequent.
inline constexpr double kFrequentRate = 0.5;

/// What becomes of a running total.
enum class CountTrend : uint8_t {
  kUnclear,  ///< too few points to tell
  kStopped,  ///< it does not rise any more
  kRare,     ///< it rises at fewer than three steps of ten
  kGrowing,  ///< it goes on rising with the steps
};

/// What a series tells.
struct CountFit {
  CountTrend trend = CountTrend::kUnclear;
  bool is_rising = false;  ///< the last point is above the one before
  /// Rise per step: of the later half where the trend is told, else of the whole, else, from one
  /// point, since the start.
  std::optional<double> rate;
  int64_t steps = 0;  ///< at the last point
  int64_t count = 0;  ///< at the last point
  int64_t since = 0;  ///< the first step at which `count` was reached
};

/// Points (steps, count) of a counter that is printed as a running total: never to be added up.
///
/// The later half of the points decides, because every run compiles at its start. It takes three
/// points over five steps to judge; one point does after a hundred steps, when a start is over.
class CountSeries {
 public:
  /// Adds a point. Several processes that print to one stream give several counts for one step: the
  /// largest is kept. A negative number is no total and is ignored.
  void Add(int64_t steps, int64_t count);

  bool empty() const { return count_at_.empty(); }

  /// Judges the points of a log that went on to `last_step`, from 0 up, at least. A profiler that
  /// fell silent five steps before no longer finds the count frequent: such a series is not
  /// kGrowing.
  CountFit Fit(int64_t last_step) const;

 private:
  int64_t CountAt(int64_t step) const;

  std::map<int64_t, int64_t> count_at_;  // by steps
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_COUNT_SERIES_H_
