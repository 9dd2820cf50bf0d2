#include "buckets/validation.h"

#include <algorithm>
#include <cmath>

#include "buckets/call_table.h"

namespace shapewise {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15U;
    uint64_t bits = state_;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
  }
  size_t Below(size_t end) { return static_cast<size_t>(Next() % end); }
  /// Evenly from 0 up to 1, without it.
  double Share() { return static_cast<double>(Next() >> 11U) * 0x1p-53; }
  /// Normal with mean 0 and deviation 1, as a sum of twelve: it needs no function whose last digit
  /// differs between machines, and has no tail beyond 6, which no quantile here reaches.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Share();
    return sum;
  }
  /// How often something comes that comes `mean` times on average.
  double Poisson(double mean) {
    constexpr double kLarge = 40;
    if (mean > kLarge) return std::max(0.0, std::round(mean + (std::sqrt(mean) * Normal())));
    const double end = std::exp(-mean);
    double product = Share();
    double count = 0;
    while (product > end) {
      product *= Share();
      ++count;
    }
    return count;
  }

 private:
  uint64_t state_;
};

constexpr uint64_t kSeed = 20260;
constexpr size_t kResamples = 1000;
constexpr size_t kBlocks = 64;
constexpr size_t kCells = 256;

/// Elements of some calls, with and without padding.
struct Elements {
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
PaddingInterval DrawBlocks(const std::vector<Elements>& blocks) {
  Random random(kSeed);
  std::vector<double> paddings;
  for (size_t i = 0; i < kResamples; ++i) {
    Elements sum;
    for (size_t draw = 0; draw < blocks.size(); ++draw) {
      const Elements& block = blocks[random.Below(blocks.size())];
      sum.padded += block.padded;
      sum.real += block.real;
    }
    paddings.push_back(sum.real > 0 ? (sum.padded / sum.real) - 1 : 0);
  }
  return MiddleOf(paddings);
}

/// Draws each cell's calls anew.
PaddingInterval DrawCalls(const std::vector<Elements>& cells) {
  Random random(kSeed);
  std::vector<double> paddings;
  for (size_t i = 0; i < kResamples; ++i) {
    Elements sum;
    for (const Elements& cell : cells) {
      const double share = random.Poisson(cell.calls) / cell.calls;
      sum.padded += share * cell.padded;
      sum.real += share * cell.real;
    }
    paddings.push_back(sum.real > 0 ? (sum.padded / sum.real) - 1 : 0);
  }
  return MiddleOf(paddings);
}

/// Blocks of a run in order of time.
std::vector<Elements> BlocksOf(const SizeHistory& history, const std::vector<Sizes>& buckets,
                               const CostModel& cost) {
  const uint64_t calls = history.calls();
  const uint64_t count = std::min<uint64_t>(kBlocks, calls);
  std::vector<Elements> blocks;
  for (uint64_t i = 0; i < count; ++i) {
    const SizeHistogram part = history.Histogram(calls * i / count, calls * (i + 1) / count);
    const SetScore score = CallTable(part, cost).Score(buckets);
    if (score.calls > 0) {
      blocks.push_back({score.padded, score.real, static_cast<double>(score.calls)});
    }
  }
  return blocks;
}

/// Neighbouring sizes of about equal numbers of calls.
std::vector<Elements> CellsOf(const SizeHistogram& calls, const std::vector<Sizes>& buckets,
                              const CostModel& cost) {
  std::vector<Elements> cells;
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
    const std::vector<Elements> blocks = BlocksOf(history, buckets, cost);
    if (blocks.size() < 2) return std::nullopt;
    return DrawBlocks(blocks);
  }
  const std::vector<Elements> cells = CellsOf(history.Histogram(), buckets, cost);
  if (cells.empty()) return std::nullopt;
  return DrawCalls(cells);
}

}  // namespace shapewise
