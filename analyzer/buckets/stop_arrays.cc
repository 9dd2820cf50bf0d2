#include "buckets/stop_arrays.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shapewise {
namespace {

/// Integer costs up to this are computed exactly: sums without rounding, and products of
/// differences with so little rounding that a point of the hull is lost only if it is less than one
/// unit below the rest.
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
  // Adding a power of two to integers is exact as long as bits are left for it.
  const auto buckets = static_cast<double>(size());
  const double whole = std::ldexp(0.25, -std::ilogb(buckets + 1));
  if (is_whole && std::trunc(price) == price &&
      (MostSaved() + (price * buckets)) / whole < kExactCosts) {
    return whole;
  }
  // If all costs are zero, any value breaks ties.
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
    // Adjacent ends with the same bucket are one bucket.
    const int64_t bucket = line.stops[stops.stop[end]].bucket;
    if (set.sizes.empty() || set.sizes.back() != bucket) set.sizes.push_back(bucket);
  }
  return set;
}

}  // namespace shapewise
