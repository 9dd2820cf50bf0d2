#include "pipeline/measure_curve.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "buckets/cost_model.h"
#include "support/median.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

// A call costs about as much as one that is larger by at most this factor.
constexpr double kNear = 1.25;

/// The curve of `cost_of` over points; absent: no values.
template <typename CostOf>
std::optional<CostModel> ModelOf(const CurveReport& report, const CostOf& cost_of) {
  CostCurve curve;
  for (const CurveReport::Point& point : report.points) {
    const std::optional<double> seconds = cost_of(point);
    if (seconds) curve.points.push_back({.size = point.size, .seconds = *seconds});
  }
  if (curve.points.empty()) return std::nullopt;
  Expected<CostModel> model = CostModel::OfCurve(std::move(curve));
  if (!model) {
    llvm::consumeError(model.takeError());
    return std::nullopt;
  }
  return std::move(*model);
}

std::optional<double> MedianOfPoints(const CurveReport& report,
                                     std::optional<double> CurveReport::Point::* member) {
  std::vector<double> seconds;
  for (const CurveReport::Point& point : report.points) {
    if (point.*member) seconds.push_back(*(point.*member));
  }
  if (seconds.empty()) return std::nullopt;
  return MedianOf(seconds);
}

double NoiseOfPoints(const CurveReport& report) {
  CostCurve curve;
  for (const CurveReport::Point& point : report.points) {
    CostPoint& cost = curve.points.emplace_back();
    cost.size = point.size;
    cost.seconds = point.seconds.value;
    if (point.dynamic) cost.dynamic = point.dynamic->value;
    cost.eager = point.eager;
    cost.spread = point.spread;
  }
  return NoiseOf(curve).share;
}

/// The mean cost of calls that run at `size_of` their size.
template <typename SizeOf>
double MeanOf(const SizeHistogram& sizes, const CostModel& cost, const SizeOf& size_of) {
  double sum = 0;
  for (const SizeCount& count : sizes.counts) {
    sum += static_cast<double>(count.calls) * cost.Of(/*rows=*/1, size_of(count.sizes[0]));
  }
  return sum / static_cast<double>(sizes.calls);
}

/// The number of calls from which the way with faster calls takes less time; absent: from the
/// first, or unknown.
std::optional<uint64_t> CallsToBreakEven(const ServingTime& one, const ServingTime& other) {
  if (!one.compile_seconds || !other.compile_seconds) return std::nullopt;
  constexpr double kMost = 1e15;
  const double calls =
      (*one.compile_seconds - *other.compile_seconds) / (other.call_seconds - one.call_seconds);
  if (!(calls > 0) || calls > kMost) return std::nullopt;
  return static_cast<uint64_t>(std::ceil(calls));
}

}  // namespace

void CompareServing(const SizeHistogram& sizes, uint64_t steps, CurveReport& report) {
  using Point = CurveReport::Point;
  std::vector<int64_t> buckets = report.boundaries;
  if (buckets.empty()) {
    for (const Point& point : report.points) buckets.push_back(point.size);
  }
  const auto cost =
      ModelOf(report, [](const Point& point) { return std::optional(point.seconds.value); });
  if (!cost || sizes.calls == 0 || sizes.counts.back().sizes[0] > buckets.back()) return;
  // Below the smallest timed size, calls cost at most as much as there.
  const auto smallest = static_cast<double>(sizes.counts.front().sizes[0]);
  if (smallest * kNear < static_cast<double>(report.points.front().size)) return;
  const auto dynamic = ModelOf(report, [](const Point& point) {
    return point.dynamic ? std::optional(point.dynamic->value) : std::nullopt;
  });
  const auto eager = ModelOf(report, [](const Point& point) { return point.eager; });
  if (!dynamic && !eager) return;

  report.steps = steps;
  report.noise = NoiseOfPoints(report);
  const auto add = [&](std::string name, size_t compiles, double call,
                       std::optional<double> compile_seconds) {
    ServingTime way;
    way.name = std::move(name);
    way.compiles = compiles;
    way.call_seconds = call;
    if (compile_seconds) {
      way.compile_seconds = *compile_seconds * static_cast<double>(compiles);
      way.seconds = *way.compile_seconds + call * static_cast<double>(steps);
    }
    report.ways.push_back(std::move(way));
  };
  const auto bucket_of = [&](int64_t size) { return *std::ranges::lower_bound(buckets, size); };
  const auto own = [](int64_t size) { return size; };
  add(Counted(buckets.size(), "bucket"), buckets.size(), MeanOf(sizes, *cost, bucket_of),
      MedianOfPoints(report, &Point::compile_seconds));
  if (dynamic) {
    add("one dynamic graph", 1, MeanOf(sizes, *dynamic, own),
        MedianOfPoints(report, &Point::dynamic_compile_seconds));
    report.break_even_calls = CallsToBreakEven(report.ways[0], report.ways[1]);
  }
  if (eager) add("eager", 0, MeanOf(sizes, *eager, own), 0);
  const bool is_known = std::ranges::all_of(
      report.ways, [](const ServingTime& way) { return way.seconds.has_value(); });
  std::ranges::stable_sort(report.ways, [&](const ServingTime& a, const ServingTime& b) {
    return is_known ? *a.seconds < *b.seconds : a.call_seconds < b.call_seconds;
  });
}

}  // namespace shapewise
