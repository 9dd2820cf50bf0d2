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
#include <limits>
#include <utility>

#include "buckets/layer_table.h"
#include "buckets/line_queue.h"
#include "buckets/stop_arrays.h"

namespace shapewise {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

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
  void MakeByHull(const Layer& before, Layer& after, uint32_t* origin, size_t first, size_t last);
  /// The same if costs fall: only lines of earlier stops are queried, at any cost.
  void MakeByQueue(const Layer& before, Layer& after, uint32_t* origin, size_t first, size_t last);
  /// Stores the corners of the hull from `first` to `last` in corners_; returns their number.
  size_t FindHull(const Layer& before, size_t first, size_t last);

  const StopArrays& stops_;
  std::vector<uint32_t> corners_;
  LineQueue queue_;
};

size_t LayerMaker::FindHull(const Layer& before, size_t first, size_t last) {
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

void LayerMaker::MakeByHull(const Layer& before, Layer& after, uint32_t* origin, size_t first,
                            size_t last) {
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

void LayerMaker::MakeByQueue(const Layer& before, Layer& after, uint32_t* origin, size_t first,
                             size_t last) {
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

}  // namespace shapewise
