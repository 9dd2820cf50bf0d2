#include "buckets/validation.h"

#include <algorithm>
#include <cmath>

#include "buckets/call_table.h"
#include "shapewise/support/random.h"

namespace shapewise {
namespace {

/// How often something comes that comes `mean` times on average.
double Poisson(double mean, Random& random) {
  constexpr double kLarge = 40;
  if (mean > kLarge) return std::max(0.0, std::round(mean + (std::sqrt(mean) * random.Normal())));
  const double end = std::exp(-mean);
  double product = random.Share();
  double count = 0;
  while (product > end) {
    product *= random.Share();
    ++count;
  }
  return count;
}

constexpr uint64_t kSeed = 20260;
constexpr size_t kResamples = 1000;
constexpr size_t kBlocks = 64;
constexpr size_t kCells = 256;

/// PaddedElements of some calls, with and without padding.
struct PaddedElements {
  double padded = 0;
  double real = 0;
  double calls = 0;
};

/// The middle 95 % of `paddings`.
PaddingInterval MiddleOf(std::vector<double>& paddings) {
  std::ranges::sort(paddings);
  const size_t cut = paddings.size() / 40;
  return {paddings[cut], paddings[paddings.size() - 1 - cut]};
}

/// Draws as many blocks as there are, again and again.
PaddingInterval DrawBlocks(const std::vector<PaddedElements>& blocks) {
  Random random(kSeed);
  std::vector<double> paddings;
  for (size_t i = 0; i < kResamples; ++i) {
    PaddedElements sum;
    for (size_t draw = 0; draw < blocks.size(); ++draw) {
      const PaddedElements& block = blocks[random.Below(blocks.size())];
      sum.padded += block.padded;
      sum.real += block.real;
    }
    paddings.push_back(sum.real > 0 ? (sum.padded / sum.real) - 1 : 0);
  }
  return MiddleOf(paddings);
}

/// Draws each cell's calls anew.
PaddingInterval DrawCalls(const std::vector<PaddedElements>& cells) {
  Random random(kSeed);
  std::vector<double> paddings;
  for (size_t i = 0; i < kResamples; ++i) {
    PaddedElements sum;
    for (const PaddedElements& cell : cells) {
      const double share = Poisson(cell.calls, random) / cell.calls;
      sum.padded += share * cell.padded;
      sum.real += share * cell.real;
    }
    paddings.push_back(sum.real > 0 ? (sum.padded / sum.real) - 1 : 0);
  }
  return MiddleOf(paddings);
}

/// The bucket at which a call of `sizes` runs; null if none holds it.
const Sizes* CheapestBucket(const Sizes& sizes, const std::vector<Sizes>& buckets,
                            const std::vector<double>& costs) {
  const Sizes* best = nullptr;
  for (size_t i = 0; i < buckets.size(); ++i) {
    bool holds = true;
    for (size_t dim = 0; dim < sizes.size(); ++dim) holds &= buckets[i][dim] >= sizes[dim];
    if (holds && (best == nullptr || costs[i] < costs[best - buckets.data()])) best = &buckets[i];
  }
  return best;
}

/// Blocks of a run in order of time.
std::vector<PaddedElements> BlocksOf(const SizeHistory& history, const std::vector<Sizes>& buckets,
                                     const CallTable& table) {
  const uint64_t all = history.calls();
  const uint64_t count = std::min<uint64_t>(kBlocks, all);
  std::vector<double> costs;
  for (const Sizes& bucket : buckets) {
    // In one dim the least bucket is taken, and dearer ones are never better.
    costs.push_back(history.dims() == 1 ? static_cast<double>(bucket[0]) : table.CostOf(bucket));
  }
  std::vector<PaddedElements> blocks(count);
  uint64_t at = 0;
  uint64_t block = 0;
  history.ForEachRun([&](const Sizes& sizes, uint64_t calls, double real) {
    const Sizes* bucket = CheapestBucket(sizes, buckets, costs);
    const double real_a_call = real / static_cast<double>(calls);
    while (calls > 0) {
      const uint64_t end = all / count * (block + 1) + (all % count) * (block + 1) / count;
      const uint64_t here = std::min(calls, end - at);
      if (bucket != nullptr) {
        const auto share = static_cast<double>(here);
        blocks[block].padded += share * table.ElementsOf(*bucket);
        blocks[block].real += share * real_a_call;
        blocks[block].calls += share;
      }
      calls -= here;
      at += here;
      if (at == end) ++block;
    }
    return true;
  });
  std::erase_if(blocks, [](const PaddedElements& elements) { return elements.calls == 0; });
  return blocks;
}

/// Neighbouring sizes of about equal numbers of calls.
std::vector<PaddedElements> CellsOf(const SizeHistogram& calls, const std::vector<Sizes>& buckets,
                                    const CostModel& cost) {
  std::vector<PaddedElements> cells;
  const uint64_t full = (calls.calls / kCells) + 1;
  SizeHistogram part;
  part.dims = calls.dims;
  part.rows = calls.rows;
  const auto finish = [&] {
    const SetScore score = CallTable(part, cost).Score(buckets);
    if (score.calls > 0) {
      cells.push_back({score.padded, score.real, static_cast<double>(score.calls)});
    }
    part.counts.clear();
    part.calls = 0;
  };
  for (const SizeCount& size : calls.counts) {
    part.counts.push_back(size);
    part.calls += size.calls;
    if (part.calls >= full) finish();
  }
  if (part.calls > 0) finish();
  return cells;
}

}  // namespace

std::optional<TimeSplit> SplitInTime(const SizeHistory& history, double fraction) {
  if (!history.is_ordered() || history.calls() < kLeastCallsToSplit) return std::nullopt;
  const auto held =
      static_cast<uint64_t>(std::llround(static_cast<double>(history.calls()) * fraction));
  const uint64_t cut = history.calls() - std::min(held, history.calls());
  TimeSplit split = {history.Histogram(0, cut), history.Histogram(cut, history.calls())};
  if (split.before.calls == 0 || split.after.calls == 0) return std::nullopt;
  return split;
}

HoldoutCheck CheckHeldOut(const TimeSplit& split, const std::vector<Sizes>& buckets,
                          const std::vector<BucketLimits>& limits) {
  HoldoutCheck check;
  const auto all = static_cast<double>(split.before.calls + split.after.calls);
  check.fraction = static_cast<double>(split.after.calls) / all;
  check.planned_calls = split.before.calls;
  check.held_calls = split.after.calls;
  check.boundaries = buckets;
  const CostModel padding_only;
  const CallTable held(split.after, padding_only);
  const SetScore score = held.Score(buckets);
  check.padding = score.Padding();
  check.out_of_range = score.out_of_range;
  const SetPlanner planner(padding_only, limits);
  const std::vector<Sizes> best = planner.PlanOne(split.after, buckets.size(), Foresight::kNone);
  // A plan that was made jointly is no proof: what is known to be possible is the better of both.
  check.best_padding = best.empty() ? check.padding : held.Score(best).Padding();
  if (check.out_of_range == 0) check.best_padding = std::min(check.best_padding, check.padding);
  return check;
}

std::optional<PaddingInterval> ResamplePadding(const SizeHistory& history,
                                               const std::vector<Sizes>& buckets,
                                               const CostModel& cost) {
  if (history.calls() < kLeastCallsToSplit) return std::nullopt;
  if (history.is_ordered()) {
    SizeHistogram none;
    none.dims = history.dims();
    none.rows = history.rows();
    const std::vector<PaddedElements> blocks = BlocksOf(history, buckets, CallTable(none, cost));
    if (blocks.size() < 2) return std::nullopt;
    return DrawBlocks(blocks);
  }
  const std::vector<PaddedElements> cells = CellsOf(history.Histogram(), buckets, cost);
  if (cells.empty()) return std::nullopt;
  return DrawCalls(cells);
}

}  // namespace shapewise
