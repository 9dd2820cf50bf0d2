// The steps of a run: durations, slow steps, and what coincided with them.

#ifndef SHAPEWISE_RESULT_STEP_REPORT_H_
#define SHAPEWISE_RESULT_STEP_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/place.h"

namespace shapewise {

/// What a slow step coincides with.
enum class SlowCause : uint8_t {
  kFirstStep,          ///< "first-step": the first step, with nothing else known
  kCompile,            ///< "compile": a function was compiled for the first time
  kRecompile,          ///< "recompile": a function was recompiled
  kCudagraph,          ///< "cudagraph": a CUDA graph was captured or instantiated
  kGarbageCollection,  ///< "garbage-collection": Python's collector ran
  kUnexplained,        ///< "unexplained": nothing coincides with it, or nothing could be compared
};
/// The number of kinds.
inline constexpr size_t kNumSlowCauses = static_cast<size_t>(SlowCause::kUnexplained) + 1;
std::string_view SlowCauseName(SlowCause cause);

/// How steps were matched with compilations.
enum class StepComparison : uint8_t {
  kClock,    ///< "clock": by times of a common clock
  kLines,    ///< "lines": by the order of lines in one log
  kNoClock,  ///< "no-common-clock": compilations are known, but not their time by the clock of the
             ///< steps
  kNothing,  ///< "nothing": no input contains compilations
};
/// The word of it in results.
std::string_view StepComparisonName(StepComparison comparison);

/// A step that took longer than the others.
struct SlowStep {
  uint64_t index = 0;   ///< in its track, from 0
  int64_t number = -1;  ///< as printed; -1: none
  uint64_t line = 0;
  double begin = 0;  ///< seconds by the clock of the track
  double seconds = 0;
  SlowCause cause = SlowCause::kUnexplained;
  std::string compile_id;      ///< of the coinciding compilation, if known
  Place function;              ///< what was compiled, if known
  std::vector<size_t> events;  ///< indices of the evidence, ascending
};

/// What else ran while steps stalled, from a profile of the machine.
struct StallCompanion {
  std::string process;
  std::string function;
  uint64_t stalls_with = 0;  ///< stalls during which it ran, of Stall::count
  uint64_t others_with = 0;  ///< steps without a stall during which it ran
  uint64_t others = 0;       ///< number of steps without a stall
  std::string what;          ///< what the function does, in words, if known
  bool reads_maps = false;   ///< it reads the memory maps of a process
};

/// Periodic slow steps without a compilation.
struct Stall {
  bool is_by_steps = false;  ///< the period is a number of steps rather than a time
  int64_t period_steps = 0;  ///< the period in steps, if is_by_steps
  double period = 0;         ///< mean distance in seconds
  double jitter = 0;         ///< mean absolute deviation from it, in seconds
  double seconds = 0;        ///< median extra duration of a stalled step
  double total_seconds = 0;  ///< total over all of them
  uint64_t count = 0;        ///< number of stalls, periodic or not
  uint64_t distances = 0;    ///< number of distances: count - 1
  uint64_t regular = 0;      ///< distances of one period or a small multiple
  double chance = 0;         ///< upper bound of the probability that random moments look as regular
  std::optional<StallCompanion> company;
};

/// The steps of one process in one input.
struct StepTrack {
  uint32_t input = 0;
  int32_t rank = -1;
  std::string process;  ///< name, if an input contains several processes
  uint64_t steps = 0;
  double median = 0;     ///< seconds per step
  double deviation = 0;  ///< median absolute deviation, seconds
  double slow_from = 0;  ///< threshold in seconds for a slow step
  double total = 0;      ///< seconds of all steps
  StepComparison comparison = StepComparison::kNothing;
  std::vector<SlowStep> slow;  ///< in order of time
  std::optional<Stall> stall;  ///< among the steps that are kUnexplained
};

/// All of it, and how clocks were aligned.
struct StepReport {
  std::vector<StepTrack> tracks;  ///< by input, rank and process
  /// Unix seconds minus seconds of Clock::kLocal, if inputs show one compilation by both clocks.
  std::optional<double> epoch_minus_local;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_STEP_REPORT_H_
