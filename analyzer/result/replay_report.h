// The result of `replay`: policies that were run, with predictions and measurements.

#ifndef SHAPEWISE_RESULT_REPLAY_REPORT_H_
#define SHAPEWISE_RESULT_REPLAY_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/place.h"

namespace shapewise {

/// A measured number with its 95 % confidence interval.
struct MeasuredRange {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// The simulator's prediction for a policy on the replayed calls.
struct PolicyForecast {
  bool is_exact = false;  ///< else see `why`, and the numbers are absent
  std::string why;        ///< what is unknown, in a sentence
  std::string assumed;    ///< assumptions; empty: none
  std::optional<uint64_t> compiles;
  std::optional<uint64_t> eager_calls;
  std::optional<uint64_t> error_calls;
  std::optional<bool> hits_limit;
  std::optional<double> compile_seconds;  ///< from the mean of logged compilations
  std::vector<std::string> traps;         ///< one sentence each
};

/// The measurements of a policy. Absent: not measured.
struct PolicyMeasurement {
  bool was_run = false;
  std::string error;                              ///< what ended it; empty: nothing did
  std::optional<uint64_t> steps;                  ///< number of calls
  std::optional<MeasuredRange> steps_per_second;  ///< after warm-up
  std::optional<uint64_t> compiles;               ///< from Dynamo's own counters
  std::optional<double> compile_seconds;
  /// For the original sequence of calls with cold caches.
  std::optional<MeasuredRange> cold_seconds;
  std::optional<bool> hits_limit;
  std::optional<uint64_t> peak_bytes;
  std::optional<bool> equal;            ///< results equal those of the uncompiled program
  std::string equal_why;                ///< first difference, or why it is unknown
  std::optional<double> max_abs_error;  ///< largest difference of a result
};

/// How a policy compares with the unchanged run.
enum class ReplayVerdict : uint8_t {
  kNotRun,     ///< "not_run": no results
  kBaseline,   ///< "baseline": the unchanged run
  kFaster,     ///< "faster": all calls together take less time, including compiling
  kFewer,      ///< "fewer_compiles": no slower within noise, and fewer compiles
  kNoChange,   ///< "no_difference": within noise, and as many compiles
  kSlower,     ///< "slower": all calls together take more time
  kDifferent,  ///< "results_differ": its results differ from those of the program
  kFailed,     ///< "failed": it raised an error that the unchanged run does not raise
};
/// The word of a verdict in results.
std::string_view ReplayVerdictName(ReplayVerdict verdict);

/// Whether advice with this verdict is kept; false if nothing is known.
bool IsKept(ReplayVerdict verdict);

/// One policy.
struct ReplayedPolicy {
  std::string policy;           ///< in the syntax of ParsePolicy: "as-is"
  std::vector<size_t> actions;  ///< actions of the advice that correspond to this policy
  bool is_plan = false;         ///< the combined plan
  bool is_advice = false;       ///< proposed by advice, not requested
  PolicyForecast predicted;
  PolicyMeasurement measured;
  /// Measured seconds of `judged_calls` calls including compiling; absent: unknown.
  std::optional<MeasuredRange> seconds;
  ReplayVerdict verdict = ReplayVerdict::kNotRun;
  std::string why;  ///< reason for the verdict, a sentence; empty: self-explanatory
  /// If it compiles less but each call takes longer, or the reverse: the number of calls at which
  /// it and the unchanged run take the same time.
  std::optional<uint64_t> break_even_calls;
};

/// The result of `replay`.
struct ReplayReport {
  std::string subject;   ///< what was run: "train.py:step", "the captured graph 0/1"
  std::string device;    ///< "cpu", "NVIDIA H200"
  std::string torch;     ///< release that ran it
  std::string script;    ///< path of the saved program; empty: not saved
  std::string function;  ///< function whose calls were replayed
  Place where;
  std::string history;  ///< a HistoryOriginName
  uint64_t calls = 0;   ///< replayed calls, out of `recorded_calls`
  uint64_t recorded_calls = 0;
  uint64_t judged_calls = 0;             ///< length of the run by which policies are judged
  bool is_lower_bound = false;           ///< some calls may not have been recorded
  std::vector<ReplayedPolicy> policies;  ///< the unchanged run first
  std::optional<size_t> best;            ///< least time; absent: nothing was measured
  std::vector<size_t> as_good;      ///< not slower than the best within noise; excludes the best
  std::vector<std::string> gaps;    ///< limits and failures, one sentence each
  std::vector<std::string> unread;  ///< one message per unreadable input
};

/// One way to serve the calls of a run, by measured costs.
struct ServingTime {
  std::string name;         ///< "8 buckets", "one dynamic graph", "eager"
  size_t compiles = 0;      ///< number of graphs
  double call_seconds = 0;  ///< mean over the calls
  /// For all graphs; absent: not measured.
  std::optional<double> compile_seconds;
  std::optional<double> seconds;  ///< of the run including compiling; absent: unknown
};

/// Costs of a graph or a program by size, measured by running it.
struct CurveReport {
  struct Point {
    int64_t size = 0;
    MeasuredRange seconds;  ///< of a graph for this size only: median and quartiles
    std::optional<uint64_t> peak_bytes;
    // Under torch.compile.
    std::optional<double> compile_seconds;          ///< of the graph for this size only
    std::optional<MeasuredRange> dynamic;           ///< of one graph that serves all sizes
    std::optional<double> dynamic_compile_seconds;  ///< of that graph, where it was compiled
    std::optional<double> eager;                    ///< without compiling
    /// Relative error of all of these, including drift of the machine; absent: unknown.
    std::optional<double> spread;
  };
  std::string subject;  ///< "train.py:step"; empty: a captured graph
  /// Dims of its inputs that have the size, "x:1"; the first one is counted.
  std::vector<std::string> dims;
  std::string graph;   ///< name of the captured graph
  std::string symbol;  ///< the symbol that is varied
  std::string device;
  std::string torch;
  std::vector<Point> points;  ///< ascending by size
  /// Largest relative change in the time of one reference call over the measurement; absent: not
  /// checked. The times are corrected for it.
  std::optional<double> drift;
  std::vector<std::string> refused;  ///< sizes that could not be run, and why
  std::vector<std::string> gaps;

  // Results of active measurement; absent: the sizes were given.
  /// The plan costs at most this share more than the best one if every time is within its spread.
  std::optional<double> estimated_gap;
  std::vector<int64_t> boundaries;   ///< the plan
  std::optional<size_t> candidates;  ///< sizes it chose from
  std::string stopped_because;

  // Total cost of the calls for each way to serve them, fastest first; empty: only one way was
  // measured.
  std::vector<ServingTime> ways;
  uint64_t steps = 0;  ///< calls of the run by whose time they are compared
  /// Relative error of the measurements: smaller differences in `ways` are not significant.
  double noise = 0;
  /// Number of calls from which the one with faster calls (buckets or one dynamic graph) takes less
  /// time including compiling; absent: one is better in both respects, or unknown.
  std::optional<uint64_t> break_even_calls;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_REPLAY_REPORT_H_
