#include "buckets/size_line.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "buckets/allowed_sizes.h"

namespace shapewise {
namespace {

/// Maximum number of places for the tail; beyond this, that many at equal ratios.
constexpr size_t kMaxTailPlaces = 4096;

/// Calls at a possible bucket size.
struct WeightedPlace {
  int64_t size = 0;
  double weight = 0;
};

/// Calls in range, each at the smallest size that may serve it; ascending.
std::vector<WeightedPlace> CallPlaces(const SizeHistogram& histogram, const AllowedSizes& allowed) {
  std::vector<WeightedPlace> places;
  for (const SizeCount& count : histogram.counts) {
    if (count.sizes[0] > allowed.max()) break;
    const int64_t size = allowed.AtLeast(count.sizes[0]);
    if (places.empty() || places.back().size != size) places.push_back({.size = size});
    places.back().weight += static_cast<double>(count.calls);
  }
  return places;
}

/// The median size below `top`, at least 1.
int64_t MedianSize(const SizeHistogram& histogram, double calls, int64_t top) {
  double before = 0;
  for (const SizeCount& count : histogram.counts) {
    before += static_cast<double>(count.calls);
    if (before > std::floor(calls / 2)) return std::clamp(count.sizes[0], int64_t{1}, top - 1);
  }
  return top - 1;
}

/// Possible bucket sizes from `from` to the top: all of them, or kMaxTailPlaces.
std::vector<int64_t> TailPlaces(const AllowedSizes& allowed, int64_t from) {
  std::vector<int64_t> places;
  int64_t size = from;
  while (size < allowed.top() && places.size() < kMaxTailPlaces) {
    size = allowed.AtLeast(size + 1);
    places.push_back(size);
  }
  if (size == allowed.top()) return places;
  places.clear();
  const double stretch = static_cast<double>(allowed.top()) / static_cast<double>(from);
  for (size_t i = 1; i <= kMaxTailPlaces; ++i) {
    const double share = static_cast<double>(i) / kMaxTailPlaces;
    const double point = static_cast<double>(from) * std::pow(stretch, share);
    size = allowed.AtLeast(std::min(static_cast<int64_t>(std::ceil(point)), allowed.max()));
    if (i == kMaxTailPlaces) size = allowed.top();
    if (size > from && (places.empty() || size > places.back())) places.push_back(size);
  }
  return places;
}

/// Rounds `weight` to a grid that is fine relative to `total`, but coarse enough that sums of
/// weights up to `total` are exact: differences of running sums then equal the weights.
double OnGrid(double weight, double total) {
  const int exponent = 50 - std::ilogb(total);
  return std::ldexp(std::nearbyint(std::ldexp(weight, exponent)), -exponent);
}

/// The share of the weight for sizes that did not occur. It is at most the share of the calls whose
/// place no other call has, which estimates the probability that a call comes to a new place (Good,
/// Biometrika 40, 1953).
double TailShare(const std::vector<WeightedPlace>& places, double calls) {
  const auto single = static_cast<double>(std::ranges::count(places, 1.0, &WeightedPlace::weight));
  return std::min(kTailShare / std::sqrt(calls), single / calls);
}

/// Subtracts the tail's `share` from `places` (of `calls` calls) and returns it at its own places.
std::vector<WeightedPlace> SpreadTail(std::vector<WeightedPlace>& places, double calls,
                                      double share, const AllowedSizes& allowed, int64_t median) {
  for (WeightedPlace& place : places) place.weight = OnGrid(place.weight * (1 - share), calls);
  std::vector<WeightedPlace> tail;
  const double whole = std::log(static_cast<double>(allowed.top()) / static_cast<double>(median));
  int64_t before = median;
  for (const int64_t size : TailPlaces(allowed, median)) {
    const double part = std::log(static_cast<double>(size) / static_cast<double>(before)) / whole;
    tail.push_back({.size = size, .weight = OnGrid(share * calls * part, calls)});
    before = size;
  }
  return tail;
}

/// Merges both lists, ascending; weights of equal sizes are added.
std::vector<WeightedPlace> Merged(const std::vector<WeightedPlace>& left,
                                  const std::vector<WeightedPlace>& right) {
  std::vector<WeightedPlace> all;
  all.reserve(left.size() + right.size());
  std::ranges::merge(left, right, std::back_inserter(all), {}, &WeightedPlace::size,
                     &WeightedPlace::size);
  std::vector<WeightedPlace> merged;
  merged.reserve(all.size());
  for (const WeightedPlace& place : all) {
    if (merged.empty() || merged.back().size != place.size) {
      merged.push_back(place);
    } else {
      merged.back().weight += place.weight;
    }
  }
  return merged;
}

/// Possible bucket sizes where a measured curve can have its minimum: next to its points, because
/// it is linear between them. Formulas never fall.
std::vector<WeightedPlace> CurvePlaces(const CostModel& cost, const AllowedSizes& allowed) {
  std::vector<WeightedPlace> places;
  for (const CostPoint& point : cost.points()) {
    if (point.size > allowed.top()) break;
    if (const std::optional<int64_t> below = allowed.AtMost(point.size)) {
      places.push_back({.size = *below});
    }
    places.push_back({.size = allowed.AtLeast(point.size)});
  }
  std::ranges::sort(places, {}, &WeightedPlace::size);
  return places;
}

/// The least cost at or beyond each of `places` and its position, without skipping a forced size;
/// ties go to the smallest.
std::vector<SizeStop> CheapestStops(const std::vector<WeightedPlace>& places, const CostModel& cost,
                                    int64_t rows, const AllowedSizes& allowed) {
  std::vector<SizeStop> stops(places.size());
  double least = std::numeric_limits<double>::infinity();
  int64_t bucket = 0;
  for (size_t i = places.size(); i-- > 0;) {
    const int64_t size = places[i].size;
    const double own = cost.Of(rows, size);
    const bool is_forced = allowed.IsForced(size);
    if (is_forced || own <= least) {
      least = own;
      bucket = size;
    }
    stops[i] = {.size = size,
                .weight = places[i].weight,
                .cost = least,
                .bucket = bucket,
                .may_end = true,
                .must_end = is_forced};
  }
  return stops;
}

/// Whether costs never fall between two forced stops.
bool IsMonotone(const std::vector<SizeStop>& stops) {
  double before = -std::numeric_limits<double>::infinity();
  for (const SizeStop& stop : stops) {
    if (!stop.may_end) continue;
    if (stop.cost < before) return false;
    before = stop.must_end ? -std::numeric_limits<double>::infinity() : stop.cost;
  }
  return true;
}

}  // namespace

Expected<SizeLine> MakeSizeLine(const SizeHistogram& histogram, const CostModel& cost,
                                const BucketLimits& limits, bool mix_tail) {
  if (histogram.counts.empty()) return MakeError("there is no call to plan buckets for");
  Expected<AllowedSizes> allowed = AllowedSizes::Make(limits, histogram.counts.back().sizes[0]);
  if (!allowed) return allowed.takeError();
  std::vector<WeightedPlace> places = CallPlaces(histogram, *allowed);
  double calls = 0;
  for (const WeightedPlace& place : places) calls += place.weight;
  if (calls == 0) {
    return MakeError("no call has a size of at most " + std::to_string(allowed->max()));
  }

  std::vector<WeightedPlace> others;
  for (const int64_t size : allowed->forced()) others.push_back({.size = size});
  if (others.empty() || others.back().size != allowed->top()) {
    others.push_back({.size = allowed->top()});
  }
  const double share = mix_tail ? TailShare(places, calls) : 0;
  if (share > 0 && allowed->top() > 1) {
    const int64_t median = MedianSize(histogram, calls, allowed->top());
    others = Merged(others, SpreadTail(places, calls, share, *allowed, median));
  }
  places = Merged(places, others);

  SizeLine line;
  const std::vector<WeightedPlace> beside = CurvePlaces(cost, *allowed);
  if (beside.empty()) {
    line.stops = CheapestStops(places, cost, histogram.rows, *allowed);
  } else {
    line.stops = CheapestStops(Merged(places, beside), cost, histogram.rows, *allowed);
    // Places added for the curve only serve as targets: no calls end there.
    std::erase_if(line.stops, [&](const SizeStop& stop) {
      return !std::ranges::binary_search(places, stop.size, {}, &WeightedPlace::size);
    });
  }
  line.is_monotone = IsMonotone(line.stops);
  return line;
}

}  // namespace shapewise
