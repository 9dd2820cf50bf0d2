// The exact frontier, one layer per number of buckets.
//
// Layer k contains, for the first j stops, the least cost of at most k buckets of which the last is
// at stop j. A bucket that begins after stop i < j turns layer k - 1 into a straight line in the
// cost at j:
//
//   cost_(k-1)(i) + (weight_j - weight_i) * c_j
//
// If costs never fall, the line of a stop beyond j is never below the layer at j: its buckets, cut
// off at j, serve the first j stops for no more. So the lines of all stops can be queried at once,
// and only the lower convex hull of the points (weight_i, cost_(k-1)(i)) matters: each layer is a
// hull and a walk along it.

#include "buckets/frontier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "buckets/layer_table.h"

namespace shapewise {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Integer costs up to this are computed exactly: sums without rounding, and products of
/// differences with so little rounding that a point of the hull is lost only if it is less than one
/// unit below the rest.
constexpr double kExactCosts = 0x1p50;

/// Element j of every array describes the first j stops with may_end, or the last of them. Calls at
/// other stops count at the next one.
struct StopArrays {
  explicit StopArrays(const SizeLine& line)
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

  size_t size() const { return weight.size() - 1; }

  /// The rounding error of sums near `sum`.
  double Rounding(double sum) const { return is_whole ? 0 : kRounding * std::abs(sum); }

  bool IsLess(double sum, double than) const { return sum < than - Rounding(than); }
  /// Added to `price` to break ties in favor of fewer buckets: for all buckets together less than
  /// the smallest difference of integer costs, or about the rounding error.
  double Trace(double price) const {
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

  /// Upper bound for the savings of a bucket.
  double MostSaved() const { return weight.back() * most_cost; }

  std::vector<double> weight;     ///< sum over the first j stops
  std::vector<double> cost;       ///< at the last of them
  std::vector<uint8_t> must_end;  ///< must be a bucket: no bucket serves calls of both sides
  std::vector<uint32_t> stop;     ///< its index in the line; element 0 is unused
  double most_cost = 0;           ///< at any stop
  double least_total = 0;         ///< cost of all calls if each stop were a bucket
  size_t fewest = 0;              ///< size of the smallest allowed set
  bool is_monotone = true;
  bool is_whole = true;  ///< all weights and costs are integers, so sums are exact
};

/// The set whose buckets are at these stops (numbers from 1 of stops with may_end, ascending).
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

/// Computes one layer from the previous one.
class LayerMaker {
 public:
  explicit LayerMaker(const StopArrays& stops)
      : stops_(stops),
        corners_(stops.size() + 2),
        queue_(stops.is_monotone ? 0 : stops.size() + 1) {}

  void Make(const Layer& before, Layer& after, uint32_t* origin) {
    // Entries for which another bucket does not help stay unchanged.
    after[0] = before[0];
    origin[0] = 0;
    size_t first = 0;
    while (first < stops_.size()) {
      size_t last = first + 1;
      while (last < stops_.size() && stops_.must_end[last] == 0) ++last;
      if (stops_.is_monotone) {
        MakeByHull(before, after, origin, first, last);
      } else {
        MakeByQueue(before, after, origin, first, last);
      }
      first = last;
    }
  }

 private:
  /// Fills stops after `first` to `last`, for buckets that begin at `first` or later.
  void MakeByHull(const Layer& before, Layer& after, uint32_t* origin, size_t first, size_t last) {
    // With few buckets, forced ones leave some stops unreachable.
    const bool is_first_reached = before[first] < kNever;
    const bool are_all_reached = before[first + 1] < kNever;
    if (!is_first_reached) {
      std::fill_n(after.data() + first + 1, last - first, kNever);
      return;
    }
    const size_t count = FindHull(before, first, are_all_reached ? last : first);
    const double* const weight = stops_.weight.data();
    const double* const cost = stops_.cost.data();
    size_t j = first + 1;
    for (size_t at = 0; at < count && j <= last; ++at) {
      const uint32_t from = corners_[at];
      const double from_cost = before[from];
      const double from_weight = weight[from];
      double rise = kNever;  // to the next corner
      double run = 0;
      if (at + 1 < count) {
        rise = before[corners_[at + 1]] - from_cost;
        run = weight[corners_[at + 1]] - from_weight;
      }
      for (; j <= last && rise >= run * cost[j]; ++j) {
        const double here = from_cost + ((weight[j] - from_weight) * cost[j]);
        const bool is_better = from < j && here < before[j];
        after[j] = is_better ? here : before[j];
        origin[j] = is_better ? from : static_cast<uint32_t>(j);
      }
    }
  }

  /// The same if costs fall: only lines of earlier stops are queried, at any cost.
  void MakeByQueue(const Layer& before, Layer& after, uint32_t* origin, size_t first, size_t last) {
    queue_.Clear();
    for (size_t j = first + 1; j <= last; ++j) {
      after[j] = before[j];
      origin[j] = static_cast<uint32_t>(j);
      if (before[j - 1] < kNever) {
        queue_.Add(stops_.weight[j - 1], before[j - 1], static_cast<uint32_t>(j - 1));
      }
      if (queue_.IsEmpty()) continue;
      const LineQueue::Answer least = queue_.Find(stops_.weight[j], stops_.cost[j]);
      if (least.cost >= after[j]) continue;
      after[j] = least.cost;
      origin[j] = least.stop;
    }
  }

  /// Stores the corners of the hull from `first` to `last` in corners_; returns their number.
  size_t FindHull(const Layer& before, size_t first, size_t last) {
    const double* const weight = stops_.weight.data();
    const double* const cost = before.data();
    // Positive: how far a point is above the line through two others.
    const auto above = [&](size_t left, size_t point, size_t right) {
      return ((cost[point] - cost[left]) * (weight[right] - weight[point])) -
             ((cost[right] - cost[point]) * (weight[point] - weight[left]));
    };
    // Most points are above the line of their neighbours. They are dropped without a branch, which
    // would be unpredictable. Points on the line stay: two at one place would drop each other.
    uint32_t* const corners = corners_.data();
    size_t count = 0;
    corners[count++] = static_cast<uint32_t>(first);
    for (size_t i = first + 1; i < last; ++i) {
      corners[count] = static_cast<uint32_t>(i);
      count += above(i - 1, i, i + 1) > 0 ? 0 : 1;
    }
    if (last > first) corners[count++] = static_cast<uint32_t>(last);

    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t point = corners[i];
      while (kept > 1 && above(corners[kept - 2], corners[kept - 1], point) >= 0) --kept;
      corners[kept++] = point;
    }
    return kept;
  }

  const StopArrays& stops_;
  std::vector<uint32_t> corners_;
  LineQueue queue_;
};

/// Adds layers until another bucket saves nothing, or there are `most`.
void AddLayers(const StopArrays& stops, size_t most, LayerTable& table) {
  double before = kNever;
  while (table.count() < most) {
    const double cost = table.Add().back();
    // Costs are convex in the number of buckets: if one more saves nothing, neither do two.
    if (stops.is_monotone && table.count() > stops.fewest && !stops.IsLess(cost, before)) return;
    before = cost;
  }
}

/// The stops (from 1, ascending) where the best sets end, for each number of buckets from the
/// fewest to that of the last layer.
std::vector<std::vector<uint32_t>> ReadBack(const StopArrays& stops, LayerTable& table) {
  std::vector<std::vector<uint32_t>> ends(table.count() - stops.fewest + 1);
  std::vector<uint32_t> at(ends.size(), static_cast<uint32_t>(stops.size()));
  for (size_t layer = table.count(); layer-- > 0;) {
    const uint32_t* origin = table.Origins(layer);
    const size_t buckets = std::max(layer + 1, stops.fewest);
    for (size_t i = buckets - stops.fewest; i < ends.size(); ++i) {
      if (origin[at[i]] == at[i]) continue;
      ends[i].push_back(at[i]);
      at[i] = origin[at[i]];
    }
  }
  for (std::vector<uint32_t>& set : ends) std::ranges::reverse(set);
  return ends;
}

/// Solves one line at many prices.
class PriceSolver {
 public:
  explicit PriceSolver(const SizeLine& line)
      : line_(line),
        stops_(line),
        best_(stops_.size() + 1),
        origin_(stops_.size() + 1),
        queue_(stops_.size() + 1) {}

  const StopArrays& stops() const { return stops_; }

  /// The ends (from 1, ascending) of the best set at `price`; ties go to fewer buckets.
  std::vector<uint32_t> Ends(double price) {
    // Costs above the possible savings only lose precision.
    price = std::min(price, (2 * stops_.MostSaved()) + 1);
    price += stops_.Trace(price);
    Solve(price);
    std::vector<uint32_t> ends;
    for (auto at = static_cast<uint32_t>(stops_.size()); at > 0; at = origin_[at]) {
      ends.push_back(at);
    }
    std::ranges::reverse(ends);
    return ends;
  }

  BucketSet Set(double price) { return SetOfEnds(line_, stops_, Ends(price)); }

  /// The set at any sufficiently high price.
  BucketSet Fewest() const {
    std::vector<uint32_t> ends;
    for (size_t j = 1; j <= stops_.size(); ++j) {
      if (stops_.must_end[j] != 0 || j == stops_.size()) ends.push_back(static_cast<uint32_t>(j));
    }
    return SetOfEnds(line_, stops_, ends);
  }

 private:
  void Solve(double price) {
    queue_.Clear();
    best_[0] = 0;
    for (size_t j = 1; j < best_.size(); ++j) {
      if (stops_.must_end[j - 1] != 0) queue_.Clear();
      queue_.Add(stops_.weight[j - 1], best_[j - 1], static_cast<uint32_t>(j - 1));
      const LineQueue::Answer least = stops_.is_monotone
                                          ? queue_.Least(stops_.weight[j], stops_.cost[j])
                                          : queue_.Find(stops_.weight[j], stops_.cost[j]);
      best_[j] = least.cost + price;
      origin_[j] = least.stop;
    }
  }

  const SizeLine& line_;
  StopArrays stops_;
  std::vector<double> best_;
  std::vector<uint32_t> origin_;
  LineQueue queue_;
};

/// The price at which both sets are equally good.
double PriceBetween(const BucketSet& fewer, const BucketSet& more) {
  return (fewer.cost - more.cost) / static_cast<double>(more.sizes.size() - fewer.sizes.size());
}

/// Whether `set` is between the others in number of buckets, and below the straight line between
/// them.
bool IsBelowChord(const BucketSet& fewer, const BucketSet& set, const BucketSet& more,
                  const StopArrays& stops) {
  if (set.sizes.size() <= fewer.sizes.size() || set.sizes.size() >= more.sizes.size()) return false;
  const auto whole = static_cast<double>(more.sizes.size() - fewer.sizes.size());
  const auto part = static_cast<double>(set.sizes.size() - fewer.sizes.size());
  const double gap = ((fewer.cost - more.cost) * (whole - part)) - ((set.cost - more.cost) * whole);
  return gap > stops.Rounding(fewer.cost) * whole;
}

}  // namespace

std::vector<BucketSet> ExactFrontier(const SizeLine& line, size_t max_buckets) {
  const StopArrays stops(line);
  std::vector<BucketSet> frontier;
  if (line.stops.empty() || max_buckets < stops.fewest) return frontier;
  const size_t most = std::min(max_buckets, stops.size());
  LayerMaker maker(stops);
  const auto next = [&maker](const Layer& before, Layer& after, uint32_t* origin) {
    maker.Make(before, after, origin);
  };
  Layer nothing(stops.size() + 1, kNever);
  nothing[0] = 0;
  LayerTable table(std::move(nothing), most, next);
  AddLayers(stops, most, table);

  const size_t count = max_buckets - stops.fewest + 1;
  frontier.reserve(count);
  for (const std::vector<uint32_t>& ends : ReadBack(stops, table)) {
    BucketSet set = SetOfEnds(line, stops, ends);
    const bool is_better = frontier.empty() || stops.IsLess(set.cost, frontier.back().cost);
    frontier.push_back(is_better ? std::move(set) : frontier.back());
  }
  while (frontier.size() < count) frontier.push_back(frontier.back());
  return frontier;
}

BucketSet BestAtPrice(const SizeLine& line, double price) { return PriceSolver(line).Set(price); }

std::vector<PriceRange> PriceFrontier(const SizeLine& line, size_t max_ranges) {
  std::vector<PriceRange> ranges;
  if (line.stops.empty() || max_ranges == 0) return ranges;
  PriceSolver solver(line);

  // Sets that are best at some price are the corners of the convex hull of cost over buckets. If
  // there is a corner between two others, it is the best set at the price at which those are equal.
  // Start from the fewest buckets, so that a limit drops the largest sets.
  BucketSet corner = solver.Fewest();
  std::vector<BucketSet> ahead;
  if (BucketSet most = solver.Set(0); most.sizes.size() > corner.sizes.size()) {
    ahead.push_back(std::move(most));
  }
  double to = std::numeric_limits<double>::infinity();
  while (!ahead.empty() && ranges.size() < max_ranges) {
    const double price = PriceBetween(corner, ahead.back());
    BucketSet between = solver.Set(price);
    if (IsBelowChord(corner, between, ahead.back(), solver.stops())) {
      ahead.push_back(std::move(between));
      continue;
    }
    ranges.push_back({.from = price, .to = to, .set = std::move(corner)});
    to = price;
    corner = std::move(ahead.back());
    ahead.pop_back();
  }
  if (ranges.size() < max_ranges) ranges.push_back({.from = 0, .to = to, .set = std::move(corner)});
  std::ranges::reverse(ranges);
  return ranges;
}

}  // namespace shapewise
