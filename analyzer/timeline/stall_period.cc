#include "timeline/stall_period.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/median.h"

namespace shapewise {
namespace {

// Tolerances for a distance to be a multiple of the period, relative to the period.
constexpr double kTolerances[] = {0.02, 0.05, 0.1, 0.15};

constexpr int kMaxPeriods = 4;  // in one distance

// A period shorter than this many times the resolution of moments cannot be detected.
constexpr double kMinResolutions = 3;

// This many distances are enough; a day of stalls must not take a minute.
constexpr size_t kMaxDistances = 2000;

/// The number of whole periods in `distance`, within `tolerance`; 0: not 1..kMaxPeriods.
int WholePeriods(double distance, double period, double tolerance) {
  const double periods = std::round(distance / period);
  if (periods < 1 || periods > kMaxPeriods) return 0;
  return std::abs(distance - periods * period) <= tolerance ? static_cast<int>(periods) : 0;
}

/// Probability that an exponential distance with mean `mean` counts as regular. `slack` widens the
/// windows for rounding to whole steps.
double ChanceOfOne(double period, double tolerance, double slack, double mean) {
  double chance = 0;
  for (int k = 1; k <= kMaxPeriods; ++k) {
    const double from = std::max(0.0, k * period - tolerance - slack);
    chance += std::exp(-from / mean) - std::exp(-(k * period + tolerance + slack) / mean);
  }
  return std::min(1.0, chance);
}

/// Candidate periods: the distances themselves, without near-duplicates.
std::vector<double> Candidates(const std::vector<double>& sorted, double shortest) {
  std::vector<double> candidates;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double distance = sorted[i];
    if (distance < shortest) continue;
    if (candidates.empty() || distance > candidates.back() * 1.005) candidates.push_back(distance);
  }
  return candidates;
}

/// The logarithm of the probability of exactly `hits`.
double LogProbability(double hits, double trials, double chance) {
  return std::lgamma(trials + 1) - std::lgamma(hits + 1) - std::lgamma(trials - hits + 1) +
         hits * std::log(chance) + (trials - hits) * std::log1p(-chance);
}

}  // namespace

std::optional<StallPeriod> FindStallPeriod(std::span<const double> moments, double resolution) {
  if (moments.size() < kMinStallsForPeriod) return std::nullopt;
  moments = moments.first(std::min(moments.size(), kMaxDistances + 1));
  std::vector<double> distances;
  for (size_t i = 1; i < moments.size(); ++i) distances.push_back(moments[i] - moments[i - 1]);
  const double mean = (moments.back() - moments.front()) / static_cast<double>(distances.size());
  if (!(mean > 0)) return std::nullopt;
  std::vector<double> sorted = distances;
  std::ranges::sort(sorted);

  const double shortest = std::max(resolution * kMinResolutions, mean / 8);
  const std::vector<double> candidates = Candidates(sorted, shortest);
  if (candidates.empty()) return std::nullopt;
  // Periods closer than the tolerance are equivalent; what counts is how many different ones fit
  // between the shortest and the longest.
  const double range = std::log(std::max(2.0, sorted.back() / shortest));

  std::optional<StallPeriod> best;
  for (const double part : kTolerances) {
    for (const double candidate : candidates) {
      const double tolerance = std::max(part * candidate, resolution);
      if (tolerance > 0.25 * candidate) continue;
      std::vector<double> periods;
      uint64_t single = 0;
      double sum = 0;
      int sum_whole = 0;
      for (const double distance : distances) {
        const int whole = WholePeriods(distance, candidate, tolerance);
        if (whole == 0) continue;
        periods.push_back(distance / whole);
        sum += distance;
        sum_whole += whole;
        if (whole == 1) ++single;
      }
      if (periods.size() * 2 < distances.size() || single * 2 < periods.size()) continue;
      const double trials = std::size(kTolerances) * (1 + 2 * range * candidate / tolerance);
      const double one = ChanceOfOne(candidate, tolerance, resolution / 2, mean);
      const double chance = trials * BinomialTail(periods.size(), distances.size(), one);
      if (chance > kMaxChanceOfPeriod || (best && chance >= best->chance)) continue;
      // The mean: the median of moments in whole steps would also be a whole number.
      const double period = sum / sum_whole;
      double deviations = 0;
      for (const double value : periods) deviations += std::abs(value - period);
      best = StallPeriod{period, deviations / static_cast<double>(periods.size()), periods.size(),
                         chance};
    }
  }
  return best;
}

std::optional<int64_t> FindStepPeriod(std::span<const uint64_t> indices) {
  if (indices.size() < kMinStallsForPeriod) return std::nullopt;
  std::vector<double> distances;
  for (size_t i = 1; i < indices.size(); ++i) {
    distances.push_back(static_cast<double>(indices[i] - indices[i - 1]));
  }
  std::vector<double> sorted = distances;
  const double period = std::round(MedianOf(sorted));
  if (period < 2) return std::nullopt;
  const auto is_regular = [&](double distance) {
    return distance >= period && std::fmod(distance, period) == 0;
  };
  const auto regular = static_cast<size_t>(std::ranges::count_if(distances, is_regular));
  if (regular * 10 < distances.size() * 9) return std::nullopt;
  // One distance determines the number; each other one fits by chance with probability 1 /
  // `period`.
  const double chance = -static_cast<double>(regular - 1) * std::log(period);
  if (chance > std::log(kMaxChance)) return std::nullopt;
  return static_cast<int64_t>(period);
}

double BinomialTail(uint64_t hits, uint64_t trials, double chance) {
  if (chance >= 1) return 1;
  if (chance <= 0) return hits == 0 ? 1 : 0;
  if (hits > trials) return 0;
  // Terms decrease from the mean in both directions. Each side is summed away from the mean until
  // the rest is below the precision of the sum.
  constexpr double kPrecision = 1e-18;
  const auto n = static_cast<double>(trials);
  const bool is_above = static_cast<double>(hits) > n * chance;
  double sum = 0;
  if (is_above) {
    for (uint64_t i = hits; i <= trials; ++i) {
      const double term = std::exp(LogProbability(static_cast<double>(i), n, chance));
      sum += term;
      if (term * static_cast<double>(trials - i) <= sum * kPrecision) break;
    }
    return std::min(1.0, sum);
  }
  for (uint64_t i = hits; i > 0; --i) {
    const double term = std::exp(LogProbability(static_cast<double>(i - 1), n, chance));
    sum += term;
    if (term * static_cast<double>(i) <= kPrecision) break;
  }
  return std::max(0.0, 1 - sum);
}

}  // namespace shapewise
