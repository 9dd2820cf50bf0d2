// The exact frontier: one layer a number of buckets.
//
// Layer k holds, for the first j stops, the least cost of exactly k buckets the last of which is
// at stop j. Where it came from is kept for a block of layers at a time; what the block began with
// is kept of every block, so that the others can be made again when the sets are read back.

#include "shapewise/buckets/frontier.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "buckets/line_queue.h"
#include "buckets/stop_arrays.h"

namespace shapewise {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Bytes of the table of origins.
constexpr size_t kMostTableBytes = size_t{128} << 20;

class Layers {
 public:
  Layers(const StopArrays& stops, size_t most_layers)
      : stops_(stops),
        columns_(stops.size() + 1),
        block_(std::clamp(kMostTableBytes / sizeof(uint32_t) / columns_, size_t{1},
                          std::max(most_layers, size_t{1}))),
        origins_(std::make_unique_for_overwrite<uint32_t[]>(block_ * columns_)),
        queue_(columns_) {
    Solve(most_layers);
  }

  /// Least cost with exactly `buckets`, 1 up to count().
  double Cost(size_t buckets) const { return costs_[buckets - 1]; }
  /// More save nothing.
  size_t count() const { return costs_.size(); }

  /// The stops (from 1, ascending) where the best sets with each number of buckets from `first` up
  /// to count() end.
  std::vector<std::vector<uint32_t>> Ends(size_t first);

 private:
  using Layer = std::vector<double>;

  void Solve(size_t most_layers);
  void Next(const Layer& before, Layer& after, uint32_t* origin);
  void NextByLines(const Layer& before, Layer& after, uint32_t* origin);
  void NextByPairs(const Layer& before, Layer& after, uint32_t* origin) const;

  uint32_t* Origins(size_t layer) { return origins_.get() + ((layer % block_) * columns_); }

  const StopArrays& stops_;
  size_t columns_;
  size_t block_;  ///< layers whose origins are kept at once
  std::unique_ptr<uint32_t[]> origins_;
  LineQueue queue_;
  std::vector<Layer> begins_;  ///< of each block, the layer before it
  std::vector<double> costs_;
};

void Layers::Solve(size_t most_layers) {
  Layer before(columns_, kNever);
  Layer after(columns_, kNever);
  before[0] = 0;
  for (size_t layer = 0; layer < most_layers; ++layer) {
    if (layer % block_ == 0) begins_.push_back(before);
    Next(before, after, Origins(layer));
    costs_.push_back(after.back());
    std::swap(before, after);
    // Costs are convex in the number of buckets: what one more does not save, two more do not.
    if (stops_.is_monotone && layer >= stops_.fewest &&
        !stops_.IsLess(costs_[layer], costs_[layer - 1])) {
      return;
    }
  }
}

void Layers::Next(const Layer& before, Layer& after, uint32_t* origin) {
  if (stops_.is_monotone) {
    NextByLines(before, after, origin);
  } else {
    NextByPairs(before, after, origin);
  }
}

void Layers::NextByLines(const Layer& before, Layer& after, uint32_t* origin) {
  queue_.Clear();
  after[0] = kNever;
  for (size_t j = 1; j < columns_; ++j) {
    if (stops_.must_end[j - 1] != 0) queue_.Clear();
    if (before[j - 1] < kNever) {
      queue_.Add(stops_.weight[j - 1], before[j - 1], static_cast<uint32_t>(j - 1));
    }
    if (queue_.IsEmpty() || stops_.may_end[j] == 0) {
      after[j] = kNever;
      continue;
    }
    const LineQueue::Answer least = queue_.Least(stops_.weight[j], stops_.cost[j]);
    after[j] = least.cost;
    origin[j] = least.stop;
  }
}

void Layers::NextByPairs(const Layer& before, Layer& after, uint32_t* origin) const {
  after[0] = kNever;
  size_t first = 0;
  for (size_t j = 1; j < columns_; ++j) {
    if (stops_.must_end[j - 1] != 0) first = j - 1;
    after[j] = kNever;
    if (stops_.may_end[j] == 0) continue;
    for (size_t i = first; i < j; ++i) {
      const double cost = before[i] + ((stops_.weight[j] - stops_.weight[i]) * stops_.cost[j]);
      if (cost >= after[j]) continue;
      after[j] = cost;
      origin[j] = static_cast<uint32_t>(i);
    }
  }
}

std::vector<std::vector<uint32_t>> Layers::Ends(size_t first) {
  std::vector<std::vector<uint32_t>> ends(count() - first + 1);
  for (size_t i = 0; i < ends.size(); ++i) ends[i].push_back(static_cast<uint32_t>(stops_.size()));
  for (size_t layer = count(); layer-- > 0;) {
    if ((layer + 1) % block_ == 0 && layer + 1 < count()) {
      Layer before = begins_[layer / block_];
      Layer after(columns_);
      for (size_t again = layer / block_ * block_; again <= layer; ++again) {
        Next(before, after, Origins(again));
        std::swap(before, after);
      }
    }
    // The sets with more buckets than layers before this one come through it.
    const uint32_t* origin = Origins(layer);
    for (size_t i = layer + 1 > first ? layer + 1 - first : 0; i < ends.size(); ++i) {
      ends[i].push_back(origin[ends[i].back()]);
    }
  }
  for (std::vector<uint32_t>& set : ends) {
    set.pop_back();  // where no stop is
    std::ranges::reverse(set);
  }
  return ends;
}

}  // namespace

std::vector<BucketSet> ExactFrontier(const SizeLine& line, size_t max_buckets) {
  const StopArrays stops(line);
  std::vector<BucketSet> frontier;
  if (line.stops.empty() || max_buckets < stops.fewest) return frontier;
  Layers layers(stops, std::min(max_buckets, stops.most));
  frontier.reserve(max_buckets - stops.fewest + 1);
  for (const std::vector<uint32_t>& ends : layers.Ends(stops.fewest)) {
    BucketSet set = SetOfEnds(line, stops, ends);
    if (frontier.empty() || stops.IsLess(set.cost, frontier.back().cost)) {
      frontier.push_back(std::move(set));
    } else {
      frontier.push_back(BucketSet(frontier.back()));
    }
  }
  while (frontier.size() < max_buckets - stops.fewest + 1) {
    frontier.push_back(BucketSet(frontier.back()));
  }
  return frontier;
}

}  // namespace shapewise
