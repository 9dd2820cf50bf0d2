// Whether moments come at regular distances.

#ifndef SHAPEWISE_TIMELINE_STALL_PERIOD_H_
#define SHAPEWISE_TIMELINE_STALL_PERIOD_H_

#include <cstdint>
#include <optional>
#include <span>

namespace shapewise {

/// Fewer stalls than this never make a period.
inline constexpr size_t kMinStallsForPeriod = 5;

/// A period is told when the bound below is at most this. The bound is wide: of 30,000 runs with
/// random stalls 2 had a period.
inline constexpr double kMaxChanceOfPeriod = 1e-2;

/// A regular distance of moments.
struct StallPeriod {
  double period = 0;     ///< in the unit of the moments
  double jitter = 0;     ///< mean absolute deviation of the regular distances
  uint64_t regular = 0;  ///< distances of one period or of 2, 3 or 4
  double chance = 0;     ///< bound on the probability that random moments do the same
};

/// The period of `moments` (ascending), of which each is known to +-`resolution` / 2. Absent when
/// there is none, or when chance would do.
///
/// It is the distances that are looked at and not the phases: an agent that sleeps for 2.5 s
/// between two looks drifts, so that its phase is lost while its distances stay. A distance counts
/// as regular when it is within a tolerance of 1, 2, 3 or 4 periods (some stalls are hidden by slow
/// steps of another cause). Random moments have exponential distances; the number of regular ones
/// is binomial then, and its tail, times the number of periods and tolerances that were tried, is
/// the bound. At least half of the distances must be regular, and half of these single periods.
std::optional<StallPeriod> FindStallPeriod(std::span<const double> moments, double resolution);

/// The number of steps between all but a tenth of `indices` (ascending numbers of steps), if that
/// is always the same one or a multiple of it; absent otherwise, or when there are so few that
/// chance would do.
std::optional<int64_t> FindStepPeriod(std::span<const uint64_t> indices);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_STALL_PERIOD_H_
