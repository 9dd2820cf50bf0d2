// What is known of the steps of a run: how long they took, which were slow, and beside what.

#ifndef SHAPEWISE_RESULT_STEP_REPORT_H_
#define SHAPEWISE_RESULT_STEP_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/place.h"

namespace shapewise {

/// What a slow step coincides with.
enum class SlowCause : uint8_t {
  kFirstStep,          ///< "first-step": it is the first one; nothing else is known of it
  kCompile,            ///< "compile": a function was compiled for the first time
  kRecompile,          ///< "recompile": a function was compiled again
  kCudagraph,          ///< "cudagraph": a CUDA graph was recorded or instantiated
  kGarbageCollection,  ///< "garbage-collection": Python's collector ran
  kUnexplained,        ///< "unexplained": with nothing that could be compared, or nothing could
};
/// How many kinds there are.
inline constexpr size_t kNumSlowCauses = static_cast<size_t>(SlowCause::kUnexplained) + 1;
std::string_view SlowCauseName(SlowCause cause);

/// How steps were laid beside compilations.
enum class StepComparison : uint8_t {
  kClock,    ///< "clock": by times of a common clock
  kLines,    ///< "lines": by the order of lines in one log
  kNoClock,  ///< "no-common-clock": compilations are known, but not when, by the clock of the steps
  kNothing,  ///< "nothing": no input tells of compilations
};
/// The word of it, as results have it.
std::string_view StepComparisonName(StepComparison comparison);

/// A step that took longer than the others.
struct SlowStep {
  uint64_t index = 0;   ///< in its track, from 0
  int64_t number = -1;  ///< as printed; -1: none
  uint64_t line = 0;
  double begin = 0;  ///< seconds by the clock of the track
  double seconds = 0;
  SlowCause cause = SlowCause::kUnexplained;
  std::string compile_id;      ///< of the compilation that it coincides with, where told
  Place function;              ///< which was compiled, where told
  std::vector<size_t> events;  ///< indices of the evidence, ascending
};

/// Who else ran while steps stalled, as a profile of the machine shows it.
struct StallCompany {
  std::string process;
  std::string function;
  uint64_t stalls_with = 0;  ///< stalls during which it ran, of Stall::count
  uint64_t others_with = 0;  ///< steps without a stall during which it ran
  uint64_t others = 0;       ///< steps without a stall
  std::string what;          ///< what the function does, if it is a known one: words for a person
  bool reads_maps = false;   ///< ... and that is to read the memory maps of a process
};

/// Slow steps that come at regular distances and with no compilation.
struct Stall {
  bool is_by_steps = false;  ///< the distance is a number of steps rather than a time
  int64_t period_steps = 0;  ///< then: how many
  double period = 0;         ///< seconds from one to the next, the mean
  double jitter = 0;         ///< mean absolute deviation from it, seconds
  double seconds = 0;        ///< by how much a stalled step is longer than others, the median
  double total_seconds = 0;  ///< of all of them
  uint64_t count = 0;        ///< stalls, all on the period or not
  uint64_t distances = 0;    ///< from one to the next: count - 1
  uint64_t regular = 0;      ///< of these, one period long or a few whole ones
  double chance = 0;         ///< bound on the probability that random moments look so regular
  std::optional<StallCompany> company;
};

/// The steps of one process, as one input tells them.
struct StepTrack {
  uint32_t input = 0;
  int32_t rank = -1;
  std::string process;  ///< where one input holds the steps of several
  uint64_t steps = 0;
  double median = 0;     ///< seconds a step
  double deviation = 0;  ///< median absolute deviation, seconds
  double slow_from = 0;  ///< a step is slow from so many seconds on
  double total = 0;      ///< seconds, all steps
  StepComparison comparison = StepComparison::kNothing;
  std::vector<SlowStep> slow;  ///< in order of time
  std::optional<Stall> stall;  ///< among those that are kUnexplained
};

/// All of it, and how clocks were brought together.
struct StepReport {
  std::vector<StepTrack> tracks;  ///< by input, rank and process
  /// Unix seconds minus seconds of Clock::kLocal, where inputs show both of the same compilation.
  std::optional<double> epoch_minus_local;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_STEP_REPORT_H_
