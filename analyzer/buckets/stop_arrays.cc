#include "buckets/stop_arrays.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shapewise {
namespace {

/// Whole costs up to here are computed exactly: sums without rounding, and products of differences
/// with so little that a point of the hull is only lost if it is less than one whole below the
/// rest.
constexpr double kExactCosts = 0x1p50;

}  // namespace

StopArrays::StopArrays(const SizeLine& line)
    : weight{0}, cost{0}, must_end{0}, stop{0}, is_monotone(line.is_monotone) {
  const size_t count = line.stops.size();
  weight.reserve(count + 1);
  cost.reserve(count + 1);
  must_end.reserve(count + 1);
  stop.reserve(count + 1);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const SizeStop& here = line.stops[i];
    sum += here.weight;
    is_whole =
        is_whole && std::trunc(here.weight) == here.weight && std::trunc(here.cost) == here.cost;
    if (!here.may_end && !here.must_end && i + 1 < count) continue;
    least_total += (sum - weight.back()) * here.cost;
    most_cost = std::max(most_cost, here.cost);
    fewest += here.must_end || i + 1 == count ? 1 : 0;
    weight.push_back(sum);
    cost.push_back(here.cost);
    must_end.push_back(here.must_end ? 1 : 0);
    stop.push_back(static_cast<uint32_t>(i));
  }
  is_whole = is_whole && MostSaved() < kExactCosts;
}

double StopArrays::Rounding(double sum) const { return is_whole ? 0 : kRounding * std::abs(sum); }

double StopArrays::Trace(double price) const {
  // A power of two adds to whole numbers without rounding as long as there are bits left for it.
  const auto buckets = static_cast<double>(size());
  const double whole = std::ldexp(0.25, -std::ilogb(buckets + 1));
  if (is_whole && std::trunc(price) == price &&
      (MostSaved() + (price * buckets)) / whole < kExactCosts) {
    return whole;
  }
  // Where all costs nothing, anything decides.
  return (kRounding * (least_total + price)) + std::numeric_limits<double>::min();
}

BucketSet SetOfEnds(const SizeLine& line, const StopArrays& stops,
                    const std::vector<uint32_t>& ends) {
  BucketSet set;
  set.sizes.reserve(ends.size());
  double before = 0;
  for (const uint32_t end : ends) {
    set.cost += (stops.weight[end] - before) * stops.cost[end];
    before = stops.weight[end];
    // Ends with one bucket for both are one bucket.
    const int64_t bucket = line.stops[stops.stop[end]].bucket;
    if (set.sizes.empty() || set.sizes.back() != bucket) set.sizes.push_back(bucket);
  }
  return set;
}

}  // namespace shapewise
