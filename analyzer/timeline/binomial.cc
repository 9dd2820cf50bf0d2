#include "timeline/binomial.h"

#include <algorithm>
#include <cmath>

namespace shapewise {

namespace {

/// The logarithm of the probability of exactly `hits`.
double LogProbability(double hits, double trials, double chance) {
  return std::lgamma(trials + 1) - std::lgamma(hits + 1) - std::lgamma(trials - hits + 1) +
         hits * std::log(chance) + (trials - hits) * std::log1p(-chance);
}

}  // namespace

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
