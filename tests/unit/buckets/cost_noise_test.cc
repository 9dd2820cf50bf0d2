// Derives the error of a clock from impossible costs.

#include "buckets/cost_model.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace shapewise {
namespace {

/// Sizes 8, 16 ... of these costs.
CostCurve CurveOf(const std::vector<double>& costs) {
  CostCurve curve;
  for (const double cost : costs) {
    curve.points.push_back(
        {.size = 8 * static_cast<int64_t>(curve.points.size() + 1), .seconds = cost});
  }
  return curve;
}

/// The least that the largest distance from any rising curve through the groups' means can be: all
/// ways to cut the points into stretches, the one of least squares that rises.
double ResidualByTrial(const std::vector<double>& values) {
  double least_squares = std::numeric_limits<double>::infinity();
  double residual = 0;
  for (size_t cuts = 0; cuts < size_t{1} << (values.size() - 1); ++cuts) {
    std::vector<double> fit;
    size_t first = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i + 1 < values.size() && ((cuts >> i) & 1) == 0) continue;
      double sum = 0;
      for (size_t j = first; j <= i; ++j) sum += values[j];
      fit.insert(fit.end(), i + 1 - first, sum / static_cast<double>(i + 1 - first));
      first = i + 1;
    }
    double squares = 0;
    double largest = 0;
    bool rises = true;
    for (size_t i = 0; i < values.size(); ++i) {
      rises = rises && (i == 0 || fit[i] >= fit[i - 1] - 1e-12);
      squares += (values[i] - fit[i]) * (values[i] - fit[i]);
      largest = std::max(largest, std::abs(values[i] - fit[i]));
    }
    if (!rises || squares >= least_squares - 1e-12) continue;
    least_squares = squares;
    residual = largest;
  }
  return residual;
}

}  // namespace

TEST_CASE("costs that never fall say nothing against themselves") {
  CHECK(NoiseOf({}).share == 0);
  CHECK(NoiseOf(CurveOf({1, 2, 2, 5})).share == 0);
  // A hundredth is a difference of kernels.
  CHECK(NoiseOf(CurveOf({1, 0.991, 2, 1.985})).share == 0);
}

TEST_CASE("a fall is shared by both sides of it, in ratios") {
  // 4 and 1: both are 2, each off by a factor of two.
  CHECK(NoiseOf(CurveOf({4, 1})).share == Approx(1));
  CHECK(NoiseOf(CurveOf({1, 1.21, 1, 3})).share == Approx(0.1));
  // It matters how much, and not how slowly, it falls: the mean of all five is 1 % less than 1.02.
  CHECK(NoiseOf(CurveOf({1.04, 1.03, 1.02, 1.01, 1.0})).share > 0.015);
  // No cost is off by more than itself.
  CHECK(NoiseOf(CurveOf({1e300, 1e-300})).share == 1);
}

TEST_CASE("the way that falls most counts") {
  CostCurve curve = CurveOf({1, 2, 3});
  for (CostPoint& point : curve.points) point.dynamic = 2 * point.seconds;
  CHECK(NoiseOf(curve).share == 0);
  curve.points[1].eager = 1.44;
  curve.points[2].eager = 1;
  CHECK(NoiseOf(curve).share == Approx(0.2));
}

TEST_CASE("measured noise is used as given, also if costs decrease") {
  CostCurve curve = CurveOf({1, 4, 2, 8});
  curve.points[0].spread = 0.01;
  curve.points[1].spread = 0.5;
  curve.points[3].spread = 0.03;
  const CostNoise noise = NoiseOf(curve);
  CHECK(noise.is_reported);
  CHECK(noise.share == 0.03);
  CHECK_FALSE(NoiseOf(CurveOf({1, 4, 2, 8})).is_reported);
}

TEST_CASE("the curve is the closest of all that rise") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> costs;
    std::vector<double> logarithms;
    const size_t count = 2 + random() % 7;
    for (size_t i = 0; i < count; ++i) {
      costs.push_back(10 + static_cast<double>(random() % 12));
      logarithms.push_back(std::log(costs.back()));
    }
    const double share = NoiseOf(CurveOf(costs)).share;
    CAPTURE(round);
    CHECK(share == Approx(std::expm1(ResidualByTrial(logarithms))).margin(1e-9));
  }
}

}  // namespace shapewise
