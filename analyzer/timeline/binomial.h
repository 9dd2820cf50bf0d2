// The tail of the binomial distribution.

#ifndef SHAPEWISE_TIMELINE_BINOMIAL_H_
#define SHAPEWISE_TIMELINE_BINOMIAL_H_

#include <cstdint>

namespace shapewise {

/// Less probable events are not attributed to chance. For exact probabilities, not for bounds.
inline constexpr double kMaxChance = 1e-3;

/// Probability of at least `hits` successes in `trials`, each with probability `chance` (0..1).
double BinomialTail(uint64_t hits, uint64_t trials, double chance);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_BINOMIAL_H_
