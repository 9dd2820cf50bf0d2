// What leaves `replay`: policies that were run, what was predicted of each beside what was
// measured.

#ifndef SHAPEWISE_RESULT_REPLAY_REPORT_H_
#define SHAPEWISE_RESULT_REPLAY_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/place.h"

namespace shapewise {

/// A measured number, and where it lies with 95 % confidence.
struct MeasuredRange {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// What the simulator says of a policy on the calls that are run.
struct PolicyForecast {
  bool is_exact = false;  ///< else `why`, and the numbers are absent
  std::string why;        ///< what is not known, in a sentence
  std::string assumed;    ///< what it takes for granted; empty: nothing
  std::optional<uint64_t> compiles;
  std::optional<uint64_t> eager_calls;
  std::optional<uint64_t> error_calls;
  std::optional<bool> hits_limit;
  std::optional<double> compile_seconds;  ///< by the mean of logged compilations
  std::vector<std::string> traps;         ///< one sentence each
};

/// What came of running it. What was not measured is absent.
struct PolicyMeasurement {
  bool was_run = false;
  std::string error;                              ///< what ended it; empty: nothing did
  std::optional<uint64_t> steps;                  ///< calls that were made
  std::optional<MeasuredRange> steps_per_second;  ///< after warm-up
  std::optional<uint64_t> compiles;               ///< by Dynamo's own counters
  std::optional<double> compile_seconds;
  std::optional<MeasuredRange> cold_seconds;  ///< of the calls as they came, from cold caches
  std::optional<bool> hits_limit;
  std::optional<uint64_t> peak_bytes;
  std::optional<bool> equal;            ///< results are those of the uncompiled program
  std::string equal_why;                ///< what differs first, or why it is not known
  std::optional<double> max_abs_error;  ///< largest difference of a result
};

/// How a policy compares with the run as it is.
enum class ReplayVerdict : uint8_t {
  kNotRun,     ///< "not_run": nothing came back of it
  kBaseline,   ///< "baseline": the run as it is
  kFaster,     ///< "faster": all calls together take less time, compiling included
  kFewer,      ///< "fewer_compiles": as fast within noise, and it compiles less
  kNoChange,   ///< "no_difference": within noise, and it compiles as much
  kSlower,     ///< "slower": all calls together take more time
  kDifferent,  ///< "results_differ": what it computes is not what the program computes
  kFailed,     ///< "failed": it raised an error that the run as it is does not raise
};
/// The word of a verdict, as results have it.
std::string_view ReplayVerdictName(ReplayVerdict verdict);

/// Whether advice with this verdict is kept; false also where nothing is known of it.
bool IsKept(ReplayVerdict verdict);

/// One policy.
struct ReplayedPolicy {
  std::string policy;           ///< its name, as ParsePolicy reads it: "as-is"
  std::vector<size_t> actions;  ///< of the advice: each alone is this policy
  bool is_plan = false;         ///< the chosen set together
  bool is_advice = false;       ///< it was proposed, not asked for
  PolicyForecast predicted;
  PolicyMeasurement measured;
  /// Seconds of `judged_calls` calls with compiling, as measured; absent: not told.
  std::optional<MeasuredRange> seconds;
  ReplayVerdict verdict = ReplayVerdict::kNotRun;
  std::string why;  ///< of the verdict, a sentence; empty: it says all
  /// It compiles less and takes longer a call, or the other way round: from so many calls on the
  /// other one of it and the run as it is takes less time.
  std::optional<uint64_t> break_even_calls;
};

/// The answer of `replay`.
struct ReplayReport {
  std::string subject;   ///< what was run: "train.py:step", "the captured graph 0/1"
  std::string device;    ///< "cpu", "NVIDIA H200"
  std::string torch;     ///< release that ran it
  std::string script;    ///< path of the program that ran; empty: not kept
  std::string function;  ///< whose calls were replayed
  Place where;
  std::string history;  ///< a HistoryOriginName
  uint64_t calls = 0;   ///< replayed, of `recorded_calls`
  uint64_t recorded_calls = 0;
  uint64_t judged_calls = 0;             ///< calls of a run by whose time policies are judged
  bool is_lower_bound = false;           ///< there may have been more calls than were recorded
  std::vector<ReplayedPolicy> policies;  ///< the run as it is first
  std::optional<size_t> best;            ///< takes the least time; absent: nothing was measured
  std::vector<size_t> as_good;           ///< as fast as the best within noise, without it
  std::vector<std::string> gaps;         ///< what could not be done or told, one sentence each
  std::vector<std::string> unread;       ///< one message an input that could not be read
};

/// One way to serve the calls of a run, by measured costs.
struct ServingTime {
  std::string name;         ///< "8 buckets", "one dynamic graph", "eager"
  size_t compiles = 0;      ///< graphs
  double call_seconds = 0;  ///< mean over the calls
  /// Of all graphs together; absent: not measured.
  std::optional<double> compile_seconds;
  std::optional<double> seconds;  ///< of the run, with compiling; absent: that is not known
};

/// Costs of a graph or a program over sizes, timed by running it.
struct CurveReport {
  struct Point {
    int64_t size = 0;
    MeasuredRange seconds;  ///< of a graph for this size alone: median and quartiles
    std::optional<uint64_t> peak_bytes;
    // Under torch.compile.
    std::optional<double> compile_seconds;          ///< of the graph for this size alone
    std::optional<MeasuredRange> dynamic;           ///< of one graph that serves all sizes
    std::optional<double> dynamic_compile_seconds;  ///< of that graph, where it was compiled
    std::optional<double> eager;                    ///< without compiling
    /// A share by which any of these may be off, with what the machine drifted; absent: not told.
    std::optional<double> spread;
  };
  std::string subject;            ///< "train.py:step"; empty: a captured graph
  std::vector<std::string> dims;  ///< of its inputs that have the size, "x:1"; the first is counted
  std::string graph;              ///< name of the captured graph
  std::string symbol;             ///< of it that is varied
  std::string device;
  std::string torch;
  std::vector<Point> points;  ///< ascending by size
  /// By what share the same call took longer, or less long, at most than at first; absent: that was
  /// not looked at. It is taken out of the times.
  std::optional<double> drift;
  std::vector<std::string> refused;  ///< sizes that could not be run, and why
  std::vector<std::string> gaps;

  // Of active measurement; absent: the sizes were given.
  /// The plan costs at most this share more than the best one, if no time is off by more than its
  /// spread.
  std::optional<double> estimated_gap;
  std::vector<int64_t> boundaries;   ///< the plan
  std::optional<size_t> candidates;  ///< sizes that it chose from
  std::string stopped_because;

  // What the sizes of calls cost in each way, the least time first; empty: one way was measured.
  std::vector<ServingTime> ways;
  uint64_t steps = 0;  ///< calls of the run by whose time they are judged
  /// By what share what was measured may be off: of `ways` that are closer none is faster.
  double noise = 0;
  /// Of buckets and one dynamic graph the one with the faster call takes less time, compiling
  /// included, from so many calls on; absent: the same is better in both, or not known.
  std::optional<uint64_t> break_even_calls;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_REPLAY_REPORT_H_
