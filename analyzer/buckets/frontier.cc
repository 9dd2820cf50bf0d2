// The exact frontier: one layer a number of buckets.
//
// Layer k holds, for the first j stops, the least cost of exactly k buckets the last of which is
// at stop j.

#include "shapewise/buckets/frontier.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "buckets/layer_table.h"
#include "buckets/line_queue.h"
#include "buckets/stop_arrays.h"

namespace shapewise {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

void NextByLines(const StopArrays& stops, LineQueue& queue, const Layer& before, Layer& after,
                 uint32_t* origin) {
  queue.Clear();
  after[0] = kNever;
  for (size_t j = 1; j < after.size(); ++j) {
    if (stops.must_end[j - 1] != 0) queue.Clear();
    if (before[j - 1] < kNever) {
      queue.Add(stops.weight[j - 1], before[j - 1], static_cast<uint32_t>(j - 1));
    }
    if (queue.IsEmpty() || stops.may_end[j] == 0) {
      after[j] = kNever;
      continue;
    }
    const LineQueue::Answer least = queue.Least(stops.weight[j], stops.cost[j]);
    after[j] = least.cost;
    origin[j] = least.stop;
  }
}

/// Where costs fall, every pair is looked at.
void NextByPairs(const StopArrays& stops, const Layer& before, Layer& after, uint32_t* origin) {
  after[0] = kNever;
  size_t first = 0;
  for (size_t j = 1; j < after.size(); ++j) {
    if (stops.must_end[j - 1] != 0) first = j - 1;
    after[j] = kNever;
    if (stops.may_end[j] == 0) continue;
    for (size_t i = first; i < j; ++i) {
      const double cost = before[i] + ((stops.weight[j] - stops.weight[i]) * stops.cost[j]);
      if (cost >= after[j]) continue;
      after[j] = cost;
      origin[j] = static_cast<uint32_t>(i);
    }
  }
}

/// Adds layers until one bucket more saves nothing, or there are `most`.
void AddLayers(const StopArrays& stops, size_t most, LayerTable& table) {
  double before = kNever;
  while (table.count() < most) {
    const double cost = table.Add().back();
    // Costs are convex in the number of buckets: what one more does not save, two more do not.
    if (stops.is_monotone && table.count() > stops.fewest && !stops.IsLess(cost, before)) return;
    before = cost;
  }
}

/// The stops (from 1, ascending) where the best sets end, for each number of buckets from the
/// fewest to that of the table's layers.
std::vector<std::vector<uint32_t>> ReadBack(const StopArrays& stops, LayerTable& table) {
  std::vector<std::vector<uint32_t>> ends(table.count() - stops.fewest + 1);
  for (std::vector<uint32_t>& set : ends) set.push_back(static_cast<uint32_t>(stops.size()));
  for (size_t layer = table.count(); layer-- > 0;) {
    const uint32_t* origin = table.Origins(layer);
    const size_t buckets = std::max(layer + 1, stops.fewest);
    for (size_t i = buckets - stops.fewest; i < ends.size(); ++i) {
      ends[i].push_back(origin[ends[i].back()]);
    }
  }
  for (std::vector<uint32_t>& set : ends) {
    set.pop_back();  // before the first stop
    std::ranges::reverse(set);
  }
  return ends;
}

}  // namespace

std::vector<BucketSet> ExactFrontier(const SizeLine& line, size_t max_buckets) {
  const StopArrays stops(line);
  std::vector<BucketSet> frontier;
  if (line.stops.empty() || max_buckets < stops.fewest) return frontier;
  const size_t most = std::min(max_buckets, stops.most);
  LineQueue queue(stops.size() + 1);
  const auto next = [&](const Layer& before, Layer& after, uint32_t* origin) {
    if (stops.is_monotone) {
      NextByLines(stops, queue, before, after, origin);
    } else {
      NextByPairs(stops, before, after, origin);
    }
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
