// The closest monotone curve is found by the pool-adjacent-violators algorithm (Ayer et al., 1955):
// falling neighbours are replaced by their mean until none is left.

#include "buckets/cost_noise.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "support/median.h"

namespace shapewise {
namespace {

/// Costs with larger errors are meaningless.
constexpr double kMostNoise = 1;
/// Smaller falls are not evidence of noise.
constexpr double kSmallFall = 0.01;

/// Adjacent points with equal values on the monotone curve.
struct Level {
  double sum = 0;
  size_t points = 0;
  double Mean() const { return sum / static_cast<double>(points); }
};

/// The largest distance of a value from the closest monotone curve; 0 if no value falls by more
/// than the tolerance.
double ResidualOf(const std::vector<double>& values) {
  double highest = values.empty() ? 0 : values.front();
  double fall = 0;
  std::vector<Level> levels;
  for (const double value : values) {
    highest = std::max(highest, value);
    fall = std::max(fall, highest - value);
    levels.push_back({.sum = value, .points = 1});
    while (levels.size() > 1 && levels[levels.size() - 2].Mean() > levels.back().Mean()) {
      const Level last = levels.back();
      levels.pop_back();
      levels.back().sum += last.sum;
      levels.back().points += last.points;
    }
  }
  if (fall <= -std::log1p(-kSmallFall)) return 0;
  double residual = 0;
  size_t at = 0;
  for (const Level& level : levels) {
    for (size_t i = 0; i < level.points; ++i, ++at) {
      residual = std::max(residual, std::abs(values[at] - level.Mean()));
    }
  }
  return residual;
}

}  // namespace

CostNoise NoiseOf(const CostCurve& curve) {
  std::vector<double> spreads;
  for (const CostPoint& point : curve.points) {
    if (point.spread) spreads.push_back(*point.spread);
  }
  if (!spreads.empty()) return {.share = MedianOf(spreads), .is_reported = true};
  const auto residual_of = [&](const auto& cost_of) {
    std::vector<double> logarithms;
    for (const CostPoint& point : curve.points) {
      const std::optional<double> cost = cost_of(point);
      if (cost && *cost > 0) logarithms.push_back(std::log(*cost));
    }
    return ResidualOf(logarithms);
  };
  double residual =
      residual_of([](const CostPoint& point) { return std::optional(point.seconds); });
  for (const auto column :
       {&CostPoint::dynamic, &CostPoint::aligned, &CostPoint::captured, &CostPoint::eager}) {
    residual =
        std::max(residual, residual_of([&](const CostPoint& point) { return point.*column; }));
  }
  return {.share = std::min(std::expm1(residual), kMostNoise), .is_reported = false};
}

}  // namespace shapewise
