#include "causes/count_series.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

CountFit FitOf(const std::vector<std::pair<int64_t, int64_t>>& points, int64_t last_step = 0) {
  CountSeries series;
  for (const auto& [steps, count] : points) series.Add(steps, count);
  return series.Fit(last_step);
}

/// `count` after each of the steps from `first` to `last`.
template <typename Count>
std::vector<std::pair<int64_t, int64_t>> Steps(int64_t first, int64_t last, const Count& count) {
  std::vector<std::pair<int64_t, int64_t>> points;
  for (int64_t step = first; step <= last; ++step) points.emplace_back(step, count(step));
  return points;
}

TEST_CASE("a count that rises at every step grows", "[causes]") {
  const CountFit fit = FitOf(Steps(11, 30, [](int64_t step) { return 2 * step - 1; }));
  CHECK(fit.trend == CountTrend::kGrowing);
  CHECK(fit.rate == 2.0);
  CHECK(fit.steps == 30);
  CHECK(fit.count == 59);
}

TEST_CASE("a count that does not change in the later half has stopped", "[causes]") {
  const CountFit fit = FitOf(Steps(11, 30, [](int64_t step) { return step < 15 ? step : 14; }));
  CHECK(fit.trend == CountTrend::kStopped);
  CHECK(fit.since == 14);
}

TEST_CASE("a burst in the later half that is over is no growth", "[causes]") {
  const CountFit fit = FitOf(Steps(11, 30, [](int64_t step) { return step < 22 ? 6 : 14; }));
  CHECK(fit.trend == CountTrend::kRare);
}

TEST_CASE("a few points are too few for a conclusion", "[causes]") {
  CHECK(FitOf({}).trend == CountTrend::kUnclear);
  CHECK(FitOf({{11, 21}}).trend == CountTrend::kUnclear);
  CHECK_FALSE(FitOf({{11, 21}}).is_rising);
  const CountFit two = FitOf({{11, 21}, {12, 23}});
  CHECK(two.trend == CountTrend::kUnclear);
  CHECK(two.is_rising);
  CHECK(two.rate == 2.0);
}

TEST_CASE("one high point after a hundred steps is enough", "[causes]") {
  CHECK(FitOf({{400, 380}}).trend == CountTrend::kGrowing);
  CHECK(FitOf({{400, 14}}).trend == CountTrend::kUnclear);
  CHECK(FitOf({{40, 38}}).trend == CountTrend::kUnclear);
}

TEST_CASE("a profiler that fell silent no longer finds the count frequent", "[causes]") {
  CHECK(FitOf({{11, 6}}, 16).trend == CountTrend::kStopped);
  const auto points = Steps(11, 20, [](int64_t step) { return step; });
  CHECK(FitOf(points, 24).trend == CountTrend::kGrowing);
  CHECK(FitOf(points, 25).trend == CountTrend::kRare);
}

TEST_CASE("counts and steps as large as they can be are judged like others", "[causes]") {
  CHECK(FitOf({{INT64_MAX, INT64_MAX}}, INT64_MAX).trend == CountTrend::kGrowing);
  CHECK(FitOf({{11, 21}, {INT64_MAX, 21}}, INT64_MAX).trend == CountTrend::kUnclear);
  CHECK(FitOf({{0, 0}, {1, INT64_MAX}, {INT64_MAX, INT64_MAX}}).trend == CountTrend::kStopped);
}

TEST_CASE("negative numbers are no totals", "[causes]") {
  CHECK(FitOf({{INT64_MIN, 5}, {5, INT64_MIN}}).trend == CountTrend::kUnclear);
}

TEST_CASE("points may be in any order; each step has its largest count", "[causes]") {
  const CountFit fit = FitOf({{30, 59}, {11, 20}, {11, 21}, {20, 39}, {30, 58}});
  CHECK(fit.trend == CountTrend::kGrowing);
  CHECK(fit.count == 59);
  CHECK(fit.rate == 2.0);
}

}  // namespace
}  // namespace shapewise
