// Whether sizes change in the course of a run, and what that costs a plan.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "buckets/call_table.h"
#include "buckets/validation.h"
#include "shapewise/support/random.h"

namespace shapewise {
namespace {

/// Costs that differ by less are no reason to plan anew: about half of it is what any plan loses on
/// calls that it was not made from.
constexpr double kRegretThatMatters = 0.02;

constexpr uint64_t kPermutationSeed = 20260;

/// The run is cut into so many blocks; half of them make a half of the run. Bursts have to be short
/// compared to a block, and 20 blocks can be divided in 184,756 ways.
constexpr size_t kBlocks = 20;
constexpr size_t kPermutations = 1999;

/// Sizes are gathered in so many cells of about equal numbers of calls.
constexpr size_t kCells = 1024;

/// The distributions of blocks of calls, of one dim.
struct BlockCounts {
  size_t cells = 0;
  std::vector<double> calls;  ///< by block and cell
};

/// The number of the cell of each size in `dim`.
std::unordered_map<int64_t, size_t> CellsOf(const SizeHistogram& all, size_t dim, size_t& count) {
  std::map<int64_t, uint64_t> calls;
  for (const SizeCount& size : all.counts) calls[size.sizes[dim]] += size.calls;
  std::unordered_map<int64_t, size_t> cells;
  const uint64_t full = calls.size() <= kCells ? 1 : (all.calls / kCells) + 1;
  count = 0;
  uint64_t in_cell = 0;
  for (const auto& [size, of_size] : calls) {
    cells[size] = count;
    in_cell += of_size;
    if (in_cell < full) continue;
    in_cell = 0;
    ++count;
  }
  if (in_cell > 0) ++count;
  return cells;
}

/// Halves of a run as two sets of its blocks: how far apart their distributions are.
class HalvesTest {
 public:
  explicit HalvesTest(const SizeHistory& history) {
    const SizeHistogram all = history.Histogram();
    std::vector<std::unordered_map<int64_t, size_t>> cells;
    for (size_t dim = 0; dim < history.dims(); ++dim) {
      BlockCounts counts;
      cells.push_back(CellsOf(all, dim, counts.cells));
      counts.calls.resize(kBlocks * counts.cells);
      dims_.push_back(std::move(counts));
    }
    uint64_t at = 0;
    size_t block = 0;
    history.ForEachRun([&](const Sizes& sizes, uint64_t calls, double /*real*/) {
      while (calls > 0) {
        const uint64_t end = EndOfBlock(history.calls(), block);
        const uint64_t here = std::min(calls, end - at);
        for (size_t dim = 0; dim < dims_.size(); ++dim) {
          BlockCounts& counts = dims_[dim];
          const size_t cell = cells[dim].find(sizes[dim])->second;
          counts.calls[(block * counts.cells) + cell] += static_cast<double>(here);
        }
        calls -= here;
        at += here;
        if (at == end) ++block;
      }
      return true;
    });
    std::iota(order_.begin(), order_.end(), size_t{0});
  }

  /// The distance of the halves in time.
  double Distance() const { return DistanceOf(order_); }

  /// What at most one in a hundred permutations of the blocks exceeds.
  double Noise() const {
    Random random(kPermutationSeed);
    std::vector<double> distances = {Distance()};
    std::array<size_t, kBlocks> order = order_;
    for (size_t i = 0; i < kPermutations; ++i) {
      for (size_t at = kBlocks; at > 1; --at) std::swap(order[at - 1], order[random.Below(at)]);
      distances.push_back(DistanceOf(order));
    }
    std::ranges::sort(distances);
    return distances[distances.size() - 1 - (distances.size() / 100)];
  }

 private:
  static uint64_t EndOfBlock(uint64_t calls, size_t block) {
    return (calls / kBlocks * (block + 1)) + (calls % kBlocks * (block + 1) / kBlocks);
  }

  /// The largest gap between the shares of calls of up to a size (Kolmogorov-Smirnov) of the first
  /// half of `order` and the second, over all dims.
  double DistanceOf(const std::array<size_t, kBlocks>& order) const {
    double distance = 0;
    for (const BlockCounts& counts : dims_) {
      std::vector<double> first(counts.cells);
      std::vector<double> second(counts.cells);
      for (size_t i = 0; i < kBlocks; ++i) {
        std::vector<double>& half = i < kBlocks / 2 ? first : second;
        const double* const block = &counts.calls[order[i] * counts.cells];
        for (size_t cell = 0; cell < counts.cells; ++cell) half[cell] += block[cell];
      }
      const double left = std::accumulate(first.begin(), first.end(), 0.0);
      const double right = std::accumulate(second.begin(), second.end(), 0.0);
      double gap = 0;
      for (size_t cell = 0; cell < counts.cells; ++cell) {
        gap += (first[cell] / left) - (second[cell] / right);
        distance = std::max(distance, std::abs(gap));
      }
    }
    return distance;
  }

  std::vector<BlockCounts> dims_;
  std::array<size_t, kBlocks> order_{};
};

/// What a plan made from one part costs on another, over what one made there costs, minus 1.
class RegretOver {
 public:
  RegretOver(const CostModel& cost, std::vector<BucketLimits> limits, size_t count)
      : limits_(std::move(limits)), planner_(cost, limits_), cost_(cost), count_(count) {}

  std::vector<Sizes> Plan(const SizeHistogram& calls, Foresight foresight) const {
    return planner_.PlanOne(calls, count_, foresight);
  }

  /// What a plan made from `calls` costs there.
  double Best(const SizeHistogram& calls) const {
    return CallTable(calls, cost_).Score(Plan(calls, Foresight::kNone)).cost;
  }

  /// `best`: Best(later).
  double Of(const std::vector<Sizes>& plan, const SizeHistogram& later, double best) const {
    const double cost = CallTable(later, cost_).Score(plan).cost;
    return best > 0 ? std::max(0.0, (cost / best) - 1) : 0;
  }

 private:
  std::vector<BucketLimits> limits_;
  SetPlanner planner_;
  const CostModel& cost_;
  size_t count_;
};

/// Every plan serves the largest size of the run: what is asked is where the others lie.
std::vector<BucketLimits> UpToLargest(const std::vector<BucketLimits>& limits,
                                      const SizeHistogram& all) {
  std::vector<BucketLimits> result = limits;
  result.resize(all.dims, limits.back());
  for (size_t dim = 0; dim < all.dims; ++dim) {
    if (result[dim].max > 0) continue;
    for (const SizeCount& size : all.counts) {
      result[dim].max = std::max(result[dim].max, size.sizes[dim]);
    }
  }
  return result;
}

/// After how many quarters of the run a plan has become too dear; 0: not within the run.
uint64_t QuartersUntilDear(const SizeHistory& history, const RegretOver& regret) {
  constexpr uint64_t kParts = 4;
  std::array<SizeHistogram, kParts> parts;
  std::array<std::vector<Sizes>, kParts> plans;
  std::array<double, kParts> best{};
  for (uint64_t i = 0; i < kParts; ++i) {
    parts[i] = history.Histogram(history.calls() * i / kParts, history.calls() * (i + 1) / kParts);
    if (parts[i].calls == 0) return 0;
    plans[i] = regret.Plan(parts[i], Foresight::kTail);
    best[i] = regret.Best(parts[i]);
  }
  for (uint64_t apart = 1; apart < kParts; ++apart) {
    double sum = 0;
    for (uint64_t i = 0; i + apart < kParts; ++i) {
      sum += regret.Of(plans[i], parts[i + apart], best[i + apart]);
    }
    if (sum > kRegretThatMatters * static_cast<double>(kParts - apart)) return apart;
  }
  return 0;
}

}  // namespace

std::optional<SizeDrift> FindDrift(const SizeHistory& history, const CostModel& cost,
                                   const std::vector<BucketLimits>& limits, size_t count) {
  const std::optional<TimeSplit> halves = SplitInTime(history, 0.5);
  if (!halves) return std::nullopt;
  SizeDrift drift;
  const HalvesTest test(history);
  drift.distance = test.Distance();
  drift.noise = test.Noise();
  const RegretOver regret(cost, UpToLargest(limits, history.Histogram()), count);
  drift.regret = regret.Of(regret.Plan(halves->before, Foresight::kTail), halves->after,
                           regret.Best(halves->after));
  drift.is_drifting = drift.distance > drift.noise && drift.regret > kRegretThatMatters;
  if (drift.is_drifting) {
    const uint64_t quarters = QuartersUntilDear(history, regret);
    drift.replan_every_calls = history.calls() * (quarters == 0 ? 2 : quarters) / 4;
  }
  return drift;
}

}  // namespace shapewise
