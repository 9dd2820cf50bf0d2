// The parts of comparing steps with compilations, one file each; compare_steps.cc uses them.

#ifndef SHAPEWISE_TIMELINE_STEP_PARTS_H_
#define SHAPEWISE_TIMELINE_STEP_PARTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/session.h"
#include "result/step_report.h"

namespace shapewise {

/// A step with its place in time.
struct TimedStep {
  double begin = 0;  ///< seconds by the clock of the series; see StepSeries::clock
  double seconds = 0;
  int64_t number = -1;
  uint64_t line = 0;
  uint64_t previous_line = 0;  ///< line of the previous step; 0: it is the first
};

/// The steps of one process in one input.
struct StepSeries {
  uint32_t input = 0;
  int32_t rank = kNoRank;
  StrId process{};
  /// kUnknown: only durations are known, and `begin` counts from the first step without gaps.
  Clock clock = Clock::kUnknown;
  std::vector<TimedStep> steps;  ///< in order of time
  double median = 0;             ///< seconds
  double deviation = 0;          ///< median absolute deviation, seconds
  double total = 0;              ///< seconds
  /// Threshold in seconds for a slow step; absent: too few steps.
  std::optional<double> slow_from;

  bool IsSlow(const TimedStep& step) const { return slow_from && step.seconds >= *slow_from; }
};

/// Every series of `session`, by input, rank and process.
std::vector<StepSeries> FindStepSeries(const Session& session);

/// Unix seconds minus seconds of Clock::kLocal: the effect of time zone and year, a multiple of a
/// quarter of an hour. Derived from compilations with times by both clocks: those of a structured
/// trace, and compile ids in a log with times that a profile shows, too. Absent if not found, or if
/// more than half of them contradict.
std::optional<double> FindEpochMinusLocal(const Session& session);

/// Converts `seconds` by `clock` of the input `input` to `wanted_clock` of `wanted_input`. Absent:
/// not comparable; an input's own clock is comparable only within that input.
std::optional<double> ByClock(double seconds, Clock clock, uint32_t input, Clock wanted_clock,
                              uint32_t wanted_input, std::optional<double> epoch_minus_local);

/// A compilation, CUDA graph recording or pause.
struct Incident {
  SlowCause cause = SlowCause::kCompile;
  uint32_t input = 0;
  uint64_t line = 0;
  int32_t rank = kNoRank;
  Clock clock = Clock::kUnknown;
  double begin = 0;               ///< seconds by `clock`
  std::optional<double> seconds;  ///< absent: only the moment is known
  StrId compile_id{};
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  std::optional<size_t> event;  ///< index into Session::events()
};

/// All incidents of `session`. A compilation in several inputs (by compile id) may occur several
/// times, with the clock of each input.
std::vector<Incident> FindIncidents(const Session& session);

/// The stall among the unexplained slow steps of `track`; absent: too few, or not periodic.
/// Consecutive slow steps are one stall.
std::optional<Stall> FindStall(const StepSeries& series, const StepTrack& track);

/// Fills in what ran during the slow steps of `stall`: the function of another process that ran in
/// most stalls and few other steps, preferring known kernel functions. Nothing if no profile with
/// such processes shares the clock of the steps, or if chance explains it.
void FindCompany(const StepSeries& series, const StepTrack& track,
                 std::optional<double> epoch_minus_local, const Session& session, Stall& stall);

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

#endif  // SHAPEWISE_TIMELINE_STEP_PARTS_H_
