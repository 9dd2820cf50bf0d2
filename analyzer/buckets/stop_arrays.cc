#include "buckets/stop_arrays.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace shapewise {
namespace {

/// Whole costs up to here are computed exactly: their cross products differ by more than rounding
/// wherever it matters (docs/buckets.md).
constexpr double kExactCosts = 0x1p51;

}  // namespace

StopArrays::StopArrays(const SizeLine& line) : is_monotone(line.is_monotone) {
  const size_t count = line.stops.size() + 1;
  weight.reserve(count);
  cost.reserve(count);
  may_end.reserve(count);
  must_end.reserve(count);
  weight.push_back(0);
  cost.push_back(0);
  may_end.push_back(1);
  must_end.push_back(0);
  double sum = 0;
  double waiting = 0;
  for (const SizeStop& stop : line.stops) {
    sum += stop.weight;
    most_cost = std::max(most_cost, stop.cost);
    waiting += stop.weight;
    if (may_end.back() != 0) least_total += std::exchange(waiting, 0) * stop.cost;
    weight.push_back(sum);
    cost.push_back(stop.cost);
    may_end.push_back(stop.may_end || stop.must_end ? 1 : 0);
    must_end.push_back(stop.must_end ? 1 : 0);
    fewest += stop.must_end ? 1 : 0;
    most += may_end.back();
    is_whole =
        is_whole && std::trunc(stop.weight) == stop.weight && std::trunc(stop.cost) == stop.cost;
  }
  if (must_end.back() == 0 && count > 1) ++fewest;
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
    const int64_t bucket = line.stops[end - 1].bucket;
    if (set.sizes.empty() || set.sizes.back() != bucket) set.sizes.push_back(bucket);
  }
  return set;
}

}  // namespace shapewise
