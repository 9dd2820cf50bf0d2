// The tail of the binomial distribution.

#ifndef SHAPEWISE_TIMELINE_BINOMIAL_H_
#define SHAPEWISE_TIMELINE_BINOMIAL_H_

#include <cstdint>

namespace shapewise {

/// What chance does less often than this is no chance. For exact probabilities, not for bounds.
inline constexpr double kMaxChance = 1e-3;

/// Probability of `hits` or more successes in `trials`, each of probability `chance` (0..1).
double BinomialTail(uint64_t hits, uint64_t trials, double chance);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_BINOMIAL_H_
