// The variance of a mean over bursty calls is the sum of their autocovariances. Student's t
// accounts for its uncertainty, and the bootstrap for a plan that was fitted to the same calls.
// Sources: Hahn, Meeker, "Statistical Intervals" (1991), 4.8; Geyer, "Practical Markov chain Monte
// Carlo", Statistical Science 7 (1992); Efron, "Estimating the error rate of a prediction rule",
// JASA 78 (1983).

#include "buckets/prediction_interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "buckets/call_table.h"
#include "buckets/validation.h"
#include "support/random.h"

namespace shapewise {
namespace {

constexpr uint64_t kResamplingSeed = 20260;

/// Maximum number of batches. Short bursts are visible in short batches, long but weak ones only in
/// long batches.
constexpr size_t kMostBatches = 1024;
constexpr size_t kLongBatches = 128;

/// With fewer calls, or fewer independent ones, too little is known.
constexpr uint64_t kFewestCalls = 200;
constexpr double kFewestIndependent = 150;

/// Minimum ratio of the number of batches to the lags over which they correlate.
constexpr double kFewestParts = 15;

/// The mean of a shorter run is not nearly normal.
constexpr uint64_t kFewestNewCalls = 30;

/// Relative uncertainty of a plan's optimism.
constexpr double kUnsureOptimism = 0.15;

/// A cost and its reference: padded and real elements, or costs with and without padding.
struct Sums {
  double cost = 0;
  double base = 0;
};

/// Quantities that are summed over calls. The logarithm of the size shows bursts that the padding
/// of a plan hides: these determine how long a plan takes to learn the sizes.
constexpr size_t kPadding = 0;
constexpr size_t kCost = 1;
constexpr size_t kLogSize = 2;
using CallSums = std::array<Sums, 3>;
using CallShares = std::array<double, 2>;

/// The 97.5 % point of Student's t (Abramowitz, Stegun 26.7.5).
double StudentPoint(double freedom) {
  freedom = std::max(freedom, 4.0);
  constexpr double kZ = 1.959963984540054;
  constexpr double kZ3 = kZ * kZ * kZ;
  constexpr double kZ5 = kZ3 * kZ * kZ;
  constexpr double kZ7 = kZ5 * kZ * kZ;
  return kZ + ((kZ3 + kZ) / (4 * freedom)) +
         ((5 * kZ5 + 16 * kZ3 + 3 * kZ) / (96 * freedom * freedom)) +
         ((3 * kZ7 + 19 * kZ5 + 17 * kZ3 - 15 * kZ) / (384 * freedom * freedom * freedom));
}

/// The variance that one call adds to a sum over a long run, and its reliability.
struct LongRunVariance {
  double a_call = 0;
  double freedom = 0;
  double burst = 1;  ///< calls over which they correlate
};

/// A measured run of `calls` calls.
struct MeasuredRun {
  Sums sums;
  LongRunVariance variance;
  double optimism = 0;
  double calls = 0;
};

/// The interval for one run of `new_calls` calls.
ShareInterval IntervalOf(const MeasuredRun& run, double new_calls) {
  const double share = (run.sums.cost / run.sums.base) - 1 + run.optimism;
  const double variance = run.variance.a_call * ((1 / run.calls) + (1 / new_calls));
  const double deviation =
      std::hypot(std::sqrt(variance) * run.calls / run.sums.base, kUnsureOptimism * run.optimism);
  const double reach = StudentPoint(run.variance.freedom) * deviation;
  // Neither padding nor its cost is negative.
  return {std::max(0.0, share - reach), std::max(0.0, share + reach)};
}

/// Finds sizes in a histogram; keeps a reference.
class SizeNumbers {
 public:
  explicit SizeNumbers(const SizeHistogram& histogram) : counts_(histogram.counts) {
    for (size_t i = 0; i < counts_.size(); ++i) {
      const auto number = static_cast<std::ptrdiff_t>(i);
      ranges_.try_emplace(counts_[i].sizes[0], number, number).first->second.second = number + 1;
    }
  }

  /// The index of `sizes` in the histogram; the number of sizes if it is missing.
  size_t Of(const Sizes& sizes) const {
    const auto range = ranges_.find(sizes[0]);
    if (range == ranges_.end()) return counts_.size();
    const auto first = counts_.begin() + range->second.first;
    const auto last = counts_.begin() + range->second.second;
    const auto found = std::ranges::lower_bound(first, last, sizes, {}, &SizeCount::sizes);
    const bool is_there = found != last && found->sizes == sizes;
    return is_there ? static_cast<size_t>(found - counts_.begin()) : counts_.size();
  }

 private:
  const std::vector<SizeCount>& counts_;
  /// The range of entries with a given size in the first dim.
  std::unordered_map<int64_t, std::pair<std::ptrdiff_t, std::ptrdiff_t>> ranges_;
};

/// Evaluates the calls of a histogram with the plan, each size once.
class Meter {
 public:
  Meter(const PlannedRun& run, const SizeHistogram& histogram) : numbers_(histogram) {
    const CallTable table(histogram, run.cost);
    // In one dim the smallest bucket that fits is used; larger ones are never better.
    std::vector<double> costs;
    for (const Sizes& bucket : run.buckets) {
      costs.push_back(histogram.dims == 1 ? static_cast<double>(bucket[0]) : table.CostOf(bucket));
    }
    by_size_.resize(histogram.counts.size());
    for (size_t i = 0; i < by_size_.size(); ++i) {
      const size_t at = CheapestBucket(run.buckets, costs, histogram.counts[i].sizes);
      if (at == run.buckets.size()) continue;
      const Sizes& bucket = run.buckets[at];
      by_size_[i] = {true, table.ElementsOf(bucket), {table.CostOf(bucket), table.IdealOf(i)}};
    }
  }

  /// The cost of one call of `sizes`, of which `real` elements are not padding. Calls that fit no
  /// bucket are not padded.
  CallSums Of(const Sizes& sizes, double real) const { return OfNumber(numbers_.Of(sizes), real); }

  /// The same by the index of the sizes in the histogram.
  CallSums OfNumber(size_t number, double real) const {
    const OneSize& size = by_size_[number];
    const Sums log_size = {std::log1p(real), 1};
    if (!size.is_held) return {Sums(), Sums(), log_size};
    return {Sums{size.elements, real}, size.cost, log_size};
  }

 private:
  /// A call at its bucket.
  struct OneSize {
    bool is_held = false;
    double elements = 0;
    Sums cost;
  };

  SizeNumbers numbers_;
  std::vector<OneSize> by_size_;
};

// Optimism: a plan pads the calls it was made from less than others.

/// `planned` with `counts` calls of each size.
SizeHistogram Reweighted(const SizeHistogram& planned, const std::vector<double>& counts) {
  SizeHistogram drawn;
  drawn.dims = planned.dims;
  drawn.rows = planned.rows;
  for (size_t i = 0; i < counts.size(); ++i) {
    const SizeCount& size = planned.counts[i];
    if (counts[i] <= 0) continue;
    const double real = size.real / static_cast<double>(size.calls) * counts[i];
    drawn.counts.push_back({size.sizes, static_cast<uint64_t>(counts[i]), real});
    drawn.calls += drawn.counts.back().calls;
    drawn.real += real;
  }
  return drawn;
}

/// The extra padding and cost of a plan on calls it was not made from: the bootstrap estimate,
/// divided by the share of calls in a resample, because its plan is also tested on these.
CallShares FindOptimism(const PlannedRun& run, const SizeHistogram& planned,
                        const std::vector<SizeHistogram>& resamples) {
  constexpr double kResampled = 0.632;
  const SetPlanner planner(run.cost, run.limits);
  const CallTable all(planned, run.cost);
  CallShares sums{};
  double count = 0;
  for (const SizeHistogram& resample : resamples) {
    const std::vector<Sizes> buckets =
        planner.PlanOne(resample, run.buckets.size(), Foresight::kTail);
    if (buckets.empty()) continue;
    const SetScore there = all.Score(buckets);
    const SetScore here = CallTable(resample, run.cost).Score(buckets);
    sums[kPadding] += there.Padding() - here.Padding();
    sums[kCost] += there.Overhead() - here.Overhead();
    ++count;
  }
  // Calls after those used for planning are measured without it.
  const double share =
      static_cast<double>(planned.calls) / static_cast<double>(run.history.calls());
  for (double& sum : sums) sum = count > 0 ? std::max(0.0, sum / count / kResampled * share) : 0;
  return sums;
}

/// Number of plans to make for the optimism: fewer if planning is slow.
size_t CountResamples(const SizeHistogram& planned, size_t buckets) {
  constexpr size_t kMost = 40;
  constexpr size_t kFewest = 8;
  constexpr size_t kStops = size_t{1} << 23U;
  if (planned.dims > 1) return kFewest;
  return std::clamp(kStops / std::max<size_t>(1, planned.counts.size() * buckets), kFewest, kMost);
}

// Calls in order of time.

using Batches = std::vector<CallSums>;

Batches MeasureBatches(const PlannedRun& run) {
  const SizeHistory& history = run.history;
  const SizeHistogram all = history.Histogram();
  const Meter meter(run, all);
  const uint64_t calls = history.calls();
  const auto count = std::min<uint64_t>(kMostBatches, calls);
  Batches batches(count);
  ForEachStretch(history, calls, count,
                 [&](const Sizes& sizes, uint64_t batch, uint64_t here, double real) {
                   const CallSums one = meter.Of(sizes, real);
                   for (size_t i = 0; i < one.size(); ++i) {
                     batches[batch][i].cost += static_cast<double>(here) * one[i].cost;
                     batches[batch][i].base += static_cast<double>(here) * one[i].base;
                   }
                   return true;
                 });
  return batches;
}

/// The residuals of the ratio of `all` in `count` parts of the batches.
std::vector<double> ResidualsOf(const Batches& batches, size_t which, size_t count,
                                const Sums& all) {
  const double ratio = all.cost / all.base;
  std::vector<double> residuals(count);
  size_t part = 0;
  for (size_t i = 0; i < batches.size(); ++i) {
    if (i == EndOfPart(batches.size(), count, part)) ++part;
    residuals[part] += batches[i][which].cost - (ratio * batches[i][which].base);
  }
  return residuals;
}

/// The sum of all autocovariances of `residuals`, which sum to zero, by the initial monotone
/// sequence: pairs of lags are added while they are significant, each at most as large as the
/// previous one. Absent: they do not become insignificant in time.
std::optional<LongRunVariance> SumOfCovariances(const std::vector<double>& residuals) {
  const size_t count = residuals.size();
  const auto n = static_cast<double>(count);
  const auto covariance = [&](size_t lag) {
    double sum = 0;
    for (size_t i = lag; i < count; ++i) sum += residuals[i] * residuals[i - lag];
    return sum / n;
  };
  const double variance = covariance(0);
  if (variance <= 0) return LongRunVariance{0, n - 1, 1};
  double sum = variance + (2 * covariance(1));
  double last = std::numeric_limits<double>::infinity();
  double lags = 3;
  for (size_t lag = 2; lag + 1 < count; lag += 2) {
    const double pair = std::min(last, covariance(lag) + covariance(lag + 1));
    if (pair <= variance * std::sqrt(2 / n)) break;
    sum += 2 * pair;
    last = pair;
    lags += 4;
  }
  // Subtracting the mean of the residuals also reduces each covariance.
  const double parts = n / lags;
  if (parts < kFewestParts) return std::nullopt;
  sum /= 1 - (1 / parts);
  // A variance dominated by a few large residuals is less reliable: by kurtosis - 1 over the number
  // of parts, as a square, where 3 - 1 is that of the normal distribution.
  double fourth = 0;
  for (const double residual : residuals) fourth += residual * residual * residual * residual;
  const double kurtosis = std::max(3.0, fourth / n / (variance * variance));
  return LongRunVariance{std::max(sum, variance / 2), 2 * parts / (kurtosis - 1), lags};
}

/// The long-run variance that a call adds to the sum of residuals. Absent: bursts are too long to
/// estimate it.
std::optional<LongRunVariance> VarianceOf(const Batches& batches, size_t which, double calls,
                                          const Sums& all) {
  std::optional<LongRunVariance> largest;
  double of_one = 0;
  for (const size_t most : {kMostBatches, kLongBatches}) {
    const size_t count = std::min(most, batches.size());
    const std::vector<double> residuals = ResidualsOf(batches, which, count, all);
    std::optional<LongRunVariance> variance = SumOfCovariances(residuals);
    if (!variance) return std::nullopt;
    if (most == kMostBatches) {
      of_one = std::inner_product(residuals.begin(), residuals.end(), residuals.begin(), 0.0);
    }
    const double length = calls / static_cast<double>(count);
    variance->a_call /= length;
    variance->burst *= length;
    if (!largest || variance->a_call > largest->a_call) largest = variance;
  }
  const double independent = largest->a_call > 0 ? of_one / largest->a_call : calls;
  if (independent / calls * static_cast<double>(batches.size()) < kFewestIndependent) {
    return std::nullopt;
  }
  return largest;
}

/// Resamples the planned calls in blocks of about `length` calls.
std::vector<SizeHistogram> ResampleBlocks(const PlannedRun& run, const SizeHistogram& planned,
                                          double length) {
  const auto calls = static_cast<double>(planned.calls);
  const auto most = std::min(calls, static_cast<double>(kMostBatches));
  const auto blocks = static_cast<uint64_t>(std::clamp(calls / length, 1.0, most));
  const size_t count = CountResamples(planned, run.buckets.size());
  Random random(kResamplingSeed);
  std::vector<std::vector<double>> times(blocks, std::vector<double>(count));  // by block
  for (size_t i = 0; i < count; ++i) {
    for (uint64_t draw = 0; draw < blocks; ++draw) ++times[random.Below(blocks)][i];
  }
  std::vector<std::vector<double>> counts(planned.counts.size(), std::vector<double>(count));
  const SizeNumbers numbers(planned);
  ForEachStretch(run.history, planned.calls, blocks,
                 [&](const Sizes& sizes, uint64_t block, uint64_t here, double /*real*/) {
                   // Calls are truncated to blocks of the history, so a size may be missing.
                   const size_t size = numbers.Of(sizes);
                   if (size == planned.counts.size()) return false;
                   const double* const drawn = times[block].data();
                   double* const of_this = counts[size].data();
                   const auto weight = static_cast<double>(here);
                   for (size_t i = 0; i < count; ++i) of_this[i] += drawn[i] * weight;
                   return true;
                 });
  std::vector<SizeHistogram> resamples;
  std::vector<double> drawn(counts.size());
  for (size_t i = 0; i < count; ++i) {
    for (size_t size = 0; size < counts.size(); ++size) drawn[size] = counts[size][i];
    resamples.push_back(Reweighted(planned, drawn));
  }
  return resamples;
}

NewRunPrediction PredictInOrder(const PlannedRun& run) {
  const Batches batches = MeasureBatches(run);
  NewRunPrediction prediction;
  std::array<MeasuredRun, 3> measured;
  double burst = 1;
  for (size_t which = 0; which < measured.size(); ++which) {
    MeasuredRun& one = measured[which];
    one.calls = static_cast<double>(run.history.calls());
    for (const CallSums& batch : batches) {
      one.sums.cost += batch[which].cost;
      one.sums.base += batch[which].base;
    }
    if (one.sums.base <= 0) return prediction;
    const std::optional<LongRunVariance> variance = VarianceOf(batches, which, one.calls, one.sums);
    if (!variance) {
      prediction.gap =
          "Too few of the calls are independent of each other to predict the padding of a new run.";
      return prediction;
    }
    one.variance = *variance;
    burst = std::max(burst, variance->burst);
  }
  const SizeHistogram planned = run.history.Histogram(0, run.planned_calls);
  const CallShares optimism = FindOptimism(run, planned, ResampleBlocks(run, planned, burst));
  for (size_t which = 0; which < optimism.size(); ++which) {
    measured[which].optimism = optimism[which];
  }
  const auto new_calls = static_cast<double>(run.new_calls);
  prediction.padding = IntervalOf(measured[kPadding], new_calls);
  prediction.cost_overhead = IntervalOf(measured[kCost], new_calls);
  return prediction;
}

// Calls without an order are treated as independent.

/// A Poisson random number with mean `mean`.
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

/// Resamples `planned` call by call.
std::vector<SizeHistogram> ResampleCalls(const PlannedRun& run, const SizeHistogram& planned) {
  Random random(kResamplingSeed);
  std::vector<SizeHistogram> resamples;
  for (size_t i = CountResamples(planned, run.buckets.size()); i > 0; --i) {
    std::vector<double> counts;
    counts.reserve(planned.counts.size());
    for (const SizeCount& size : planned.counts) {
      counts.push_back(Poisson(static_cast<double>(size.calls), random));
    }
    resamples.push_back(Reweighted(planned, counts));
  }
  return resamples;
}

NewRunPrediction PredictUnordered(const PlannedRun& run) {
  const SizeHistogram all = run.history.Histogram();
  const Meter meter(run, all);
  std::vector<CallSums> one_call;
  std::array<MeasuredRun, 2> measured;
  for (const SizeCount& size : all.counts) {
    const auto calls = static_cast<double>(size.calls);
    one_call.push_back(meter.OfNumber(one_call.size(), size.real / calls));
    for (size_t which = 0; which < measured.size(); ++which) {
      measured[which].sums.cost += calls * one_call.back()[which].cost;
      measured[which].sums.base += calls * one_call.back()[which].base;
    }
  }
  NewRunPrediction prediction;
  const CallShares optimism = FindOptimism(run, all, ResampleCalls(run, all));
  const auto calls = static_cast<double>(all.calls);
  for (size_t which = 0; which < measured.size(); ++which) {
    MeasuredRun& one = measured[which];
    if (one.sums.base <= 0) return prediction;
    double squares = 0;
    for (size_t i = 0; i < one_call.size(); ++i) {
      const Sums& sums = one_call[i][which];
      const double residual = sums.cost - (one.sums.cost / one.sums.base * sums.base);
      squares += static_cast<double>(all.counts[i].calls) * residual * residual;
    }
    one.calls = calls;
    one.variance = {squares / (calls - 1), calls - 1, 1};
    one.optimism = optimism[which];
  }
  const auto new_calls = static_cast<double>(run.new_calls);
  prediction.padding = IntervalOf(measured[kPadding], new_calls);
  prediction.cost_overhead = IntervalOf(measured[kCost], new_calls);
  return prediction;
}

}  // namespace

NewRunPrediction PredictNewRun(const PlannedRun& run) {
  NewRunPrediction prediction;
  if (run.history.calls() < kFewestCalls) {
    prediction.gap = "Fewer than " + std::to_string(kFewestCalls) +
                     " calls: too few to predict the padding of a new run.";
    return prediction;
  }
  if (run.new_calls < kFewestNewCalls) {
    prediction.gap = "A new run of fewer than " + std::to_string(kFewestNewCalls) +
                     " calls is too short for its padding to be predicted.";
    return prediction;
  }
  return run.history.is_ordered() ? PredictInOrder(run) : PredictUnordered(run);
}

}  // namespace shapewise
