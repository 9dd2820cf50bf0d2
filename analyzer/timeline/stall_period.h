// Decides whether moments are periodic.

#ifndef SHAPEWISE_TIMELINE_STALL_PERIOD_H_
#define SHAPEWISE_TIMELINE_STALL_PERIOD_H_

#include <cstdint>
#include <optional>
#include <span>

namespace shapewise {

/// Minimum number of stalls for a period.
inline constexpr size_t kMinStallsForPeriod = 5;

/// A period is reported if the bound below is at most this. The bound is conservative: of 30,000
/// runs with random stalls, 2 had a period.
inline constexpr double kMaxChanceOfPeriod = 1e-2;

/// A regular distance of moments.
struct StallPeriod {
  double period = 0;     ///< in the unit of the moments
  double jitter = 0;     ///< mean absolute deviation of the regular distances
  uint64_t regular = 0;  ///< distances of one to four periods
  double chance = 0;     ///< upper bound of the probability that random moments look as regular
};

/// The period of `moments` (ascending), each known to +-`resolution` / 2. Absent: none, or
/// explained by chance.
///
/// The test uses distances, not phases: an agent that sleeps 2.5 s between checks drifts, so its
/// phase is lost but its distances stay regular. A distance is regular if it is within a tolerance
/// of 1, 2, 3 or 4 periods (some stalls are hidden by slow steps with another cause). Random
/// moments have exponential distances, so the number of regular ones is binomial; the bound is its
/// tail times the number of periods and tolerances tried. At least half of the distances must be
/// regular, and half of these single periods.
std::optional<StallPeriod> FindStallPeriod(std::span<const double> moments, double resolution);

/// The number of steps between all but a tenth of `indices` (ascending step numbers), if it is
/// always the same number or a multiple of it; absent: otherwise, or explained by chance.
std::optional<int64_t> FindStepPeriod(std::span<const uint64_t> indices);

/// Less probable events are not attributed to chance. For exact probabilities, not for bounds.
inline constexpr double kMaxChance = 1e-3;

/// Probability of at least `hits` successes in `trials`, each with probability `chance` (0..1).
double BinomialTail(uint64_t hits, uint64_t trials, double chance);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_STALL_PERIOD_H_
