// Detects whether sizes change during a run, and what that costs a plan.

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "buckets/call_table.h"
#include "buckets/validation.h"
#include "support/random.h"

namespace shapewise {
namespace {

/// Smaller differences in cost do not justify a new plan: about half of this is what any plan loses
/// on calls it was not made from.
constexpr double kRegretThatMatters = 0.02;

constexpr uint64_t kPermutationSeed = 20260;

/// The number of blocks of a run; half of them form a half of the run. Bursts must be short
/// compared to a block, and 20 blocks can be divided in 184,756 ways.
constexpr size_t kBlocks = 20;
constexpr size_t kPermutations = 1999;

/// The number of cells for sizes, with about equal numbers of calls.
constexpr size_t kCells = 1024;

/// Blocks are summed in groups: the sums for all subsets of a group are computed once, and any set
/// of blocks is the sum of one subset per group.
constexpr size_t kGroups = 4;
constexpr size_t kGroupBlocks = kBlocks / kGroups;
constexpr size_t kGroupSets = size_t{1} << kGroupBlocks;
static_assert(kGroups * kGroupBlocks == kBlocks);

/// A set of blocks, as bits.
using BlockSet = uint32_t;

constexpr BlockSet kFirstHalf = (BlockSet{1} << (kBlocks / 2)) - 1;

/// Distributions of sets of blocks in one dim: cumulative calls by cell.
class BlockSums {
 public:
  explicit BlockSums(size_t cells) : cells_(cells), sums_(kGroups * kGroupSets * cells) {}

  void Add(size_t block, size_t cell, double calls) {
    RowOf(block / kGroupBlocks, size_t{1} << (block % kGroupBlocks))[cell] += calls;
  }

  /// Computes the sums after all calls were added.
  void Finish() {
    for (size_t group = 0; group < kGroups; ++group) {
      for (size_t set = 1; set < kGroupSets; ++set) {
        double* const row = RowOf(group, set);
        const size_t others = set & (set - 1);
        if (others == 0) {
          std::partial_sum(row, row + cells_, row);
          continue;
        }
        const double* const one = RowOf(group, set ^ others);
        const double* const rest = RowOf(group, others);
        for (size_t cell = 0; cell < cells_; ++cell) row[cell] = one[cell] + rest[cell];
      }
    }
    all_.resize(cells_);
    for (const double* const row : RowsOf((BlockSet{1} << kBlocks) - 1)) {
      for (size_t cell = 0; cell < cells_; ++cell) all_[cell] += row[cell];
    }
  }

  /// The Kolmogorov-Smirnov distance between the blocks of `half` and the others.
  double DistanceOf(BlockSet half) const {
    double calls = 0;
    for (size_t group = 0; group < kGroups; ++group) calls += RowIn(group, half)[cells_ - 1];
    const double all = all_.back();
    const std::array<const double*, kGroups> rows = RowsOf(half);
    const auto [first, second, third, fourth] = rows;
    double above = 0;
    double below = 0;
    // Use integers, so that equal distances are equal to the last bit.
    for (size_t cell = 0; cell < cells_; ++cell) {
      const double sum = first[cell] + second[cell] + third[cell] + fourth[cell];
      const double gap = (sum * all) - (all_[cell] * calls);
      if (gap > above) above = gap;
      if (gap < below) below = gap;
    }
    return std::max(above, -below) / (calls * (all - calls));
  }

 private:
  double* RowOf(size_t group, size_t set) { return &sums_[((group * kGroupSets) + set) * cells_]; }
  const double* RowIn(size_t group, BlockSet blocks) const {
    const size_t set = (blocks >> (group * kGroupBlocks)) % kGroupSets;
    return &sums_[((group * kGroupSets) + set) * cells_];
  }

  /// The partial sums for `blocks`.
  std::array<const double*, kGroups> RowsOf(BlockSet blocks) const {
    std::array<const double*, kGroups> rows{};
    for (size_t group = 0; group < kGroups; ++group) rows[group] = RowIn(group, blocks);
    return rows;
  }

  size_t cells_;
  std::vector<double> sums_;  ///< by group, subset of its blocks, and cell
  std::vector<double> all_;
};

/// The cell of each size in `dim`.
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

/// Compares halves of a run, given as two sets of its blocks, by the distance of their
/// distributions.
class HalvesTest {
 public:
  explicit HalvesTest(const SizeHistory& history) {
    const SizeHistogram all = history.Histogram();
    std::vector<std::unordered_map<int64_t, size_t>> cells;
    for (size_t dim = 0; dim < history.dims(); ++dim) {
      size_t count = 0;
      cells.push_back(CellsOf(all, dim, count));
      dims_.emplace_back(count);
    }
    ForEachStretch(history, history.calls(), kBlocks,
                   [&](const Sizes& sizes, uint64_t block, uint64_t calls, double /*real*/) {
                     for (size_t dim = 0; dim < dims_.size(); ++dim) {
                       const size_t cell = cells[dim].find(sizes[dim])->second;
                       dims_[dim].Add(block, cell, static_cast<double>(calls));
                     }
                     return true;
                   });
    for (BlockSums& sums : dims_) sums.Finish();
  }

  /// The distance between the first and the second half in time.
  double Distance() const { return DistanceOf(kFirstHalf); }

  /// The value that one in a hundred permutations of the blocks exceeds.
  double Noise() const {
    Random random(kPermutationSeed);
    std::vector<double> distances = {Distance()};
    distances.reserve(kPermutations + 1);
    for (size_t i = 0; i < kPermutations; ++i) distances.push_back(DistanceOf(AnyHalf(random)));
    std::ranges::sort(distances);
    return distances[distances.size() - 1 - (distances.size() / 100)];
  }

 private:
  /// A random half of the blocks; all are equally likely.
  static BlockSet AnyHalf(Random& random) {
    BlockSet half = 0;
    size_t missing = kBlocks / 2;
    for (size_t block = 0; missing > 0; ++block) {
      if (random.Below(kBlocks - block) >= missing) continue;
      half |= BlockSet{1} << block;
      --missing;
    }
    return half;
  }

  /// The maximum over all dims.
  double DistanceOf(BlockSet half) const {
    double distance = 0;
    for (const BlockSums& sums : dims_) distance = std::max(distance, sums.DistanceOf(half));
    return distance;
  }

  std::vector<BlockSums> dims_;
};

/// The relative extra cost of a plan made from one part on another part, compared with a plan made
/// there.
class RegretOver {
 public:
  RegretOver(const CostModel& cost, std::vector<BucketLimits> limits, size_t count)
      : limits_(std::move(limits)), planner_(cost, limits_), cost_(cost), count_(count) {}

  std::vector<Sizes> Plan(const SizeHistogram& calls, Foresight foresight) const {
    return planner_.PlanOne(calls, count_, foresight);
  }

  /// The cost on `calls` of a plan made from them.
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

/// Every plan serves the largest size of the run, so only the other buckets matter.
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

/// The number of quarters of the run after which a plan becomes too expensive; 0: never within the
/// run.
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
