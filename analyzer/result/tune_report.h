// The result of `tune`: runs of the user's program, unchanged and with injected actions.

#ifndef SHAPEWISE_RESULT_TUNE_REPORT_H_
#define SHAPEWISE_RESULT_TUNE_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/advice.h"
#include "result/replay_report.h"

namespace shapewise {

/// How a run of the program ended.
enum class TuneEnd : uint8_t {
  kEnded,        ///< "ended": by itself
  kSteps,        ///< "steps": after the requested number of calls
  kSeconds,      ///< "seconds": at the first call after the requested time
  kTimeout,      ///< "timeout": terminated by a signal because it made no call for too long
  kInterrupted,  ///< "interrupted": the user ended `tune`
};
/// The word of an end in results.
std::string_view TuneEndName(TuneEnd end);

/// Calls of one compiled function.
struct TunedFunction {
  std::string name;
  uint64_t calls = 0;
  uint64_t eager_calls = 0;  ///< calls in which no compiled graph ran
};

/// Counts and times of one run, from Dynamo's counters, summed over its processes.
struct TuneRun {
  std::string folder;  ///< the folder for `lint`
  TuneEnd end = TuneEnd::kEnded;
  int status = 0;           ///< exit status; 128 + N: signal N
  double run_seconds = 0;   ///< of the whole process, including imports
  uint64_t calls = 0;       ///< of compiled functions
  uint64_t steps = 0;       ///< calls of the process with the most calls
  uint64_t compiles = 0;    ///< graphs passed to the backend
  uint64_t recompiles = 0;  ///< compilations of a frame after its first
  uint64_t graph_breaks = 0;
  uint64_t limit_hits = 0;
  uint64_t eager_calls = 0;
  uint64_t errors = 0;  ///< calls that raised
  std::string error;    ///< the first error; else the last line of a failed program
  std::optional<uint64_t> error_call;
  std::string problem;  ///< why the action could not be applied
  double compile_seconds = 0;
  double wall_seconds = 0;                        ///< from the first call to the end of the last
  std::optional<MeasuredRange> steps_per_second;  ///< over calls after the last compile
  std::optional<uint64_t> peak_bytes;
  std::vector<TunedFunction> functions;
  std::optional<bool> equal;  ///< results equal those of the unchanged program; absent: unknown
  std::string equal_why;      ///< first difference, or why it is unknown

  /// The program failed by itself, not because we sent a signal.
  bool HasFailed() const { return status != 0 && end == TuneEnd::kEnded; }
};

/// How an action compares with the unchanged program.
enum class TuneVerdict : uint8_t {
  kNotRun,      ///< "not_run"
  kBetter,      ///< "better": at least one count is lower, and none is higher
  kNoChange,    ///< "no_difference"
  kMixed,       ///< "mixed": some counts are lower, others higher
  kWorse,       ///< "worse"
  kDifferent,   ///< "results_differ"
  kFailed,      ///< "failed": it raises an error or does not end, unlike the unchanged program
  kNotApplied,  ///< "not_applied": it matches nothing in the program
};
/// The word of a verdict in results.
std::string_view TuneVerdictName(TuneVerdict verdict);

/// A source file with fixes, which a run reads instead of the original.
struct TunePatch {
  std::string path;  ///< absolute
  std::string text;
  std::string diff;  ///< from the original to `text`
};

/// A candidate: an action, or several that are tried together.
struct TunedAction {
  std::string policy;                  ///< in the syntax of `predict --policy`; for fixes: "fixes"
  std::vector<RankedAction> parts;     ///< what to paste
  std::vector<std::string> functions;  ///< for each part: the function whose calls it changes
  std::vector<TunePatch> patches;
  std::string origin;  ///< "advise", "plan", "generic", "check", "combination"
  std::optional<TuneRun> run;
  TuneVerdict verdict = TuneVerdict::kNotRun;
  std::string why;  ///< reason for the verdict, a clause
};

/// The result of `tune`.
struct TuneReport {
  std::string command;  ///< as given
  std::string folder;
  std::string backend;  ///< the backend that replaced the program's; empty: unchanged
  std::string torch;
  std::string device;
  TuneRun baseline;
  std::optional<TuneRun> repeated;          ///< the unchanged program again, to estimate noise
  std::vector<TunedAction> actions;         ///< in the order of the runs
  std::optional<size_t> best;               ///< index into `actions`; absent: nothing helps
  std::optional<TuneRun> confirmed_before;  ///< with the real backend
  std::optional<TunedAction> confirmed;     ///< the best action with the real backend
  bool is_interrupted = false;
  std::vector<std::string> gaps;  ///< limits and failures, one sentence each
};

/// "9 compiles, 1 limit hit, 41 eager calls": the counts of a run that are not 0.
std::string TuneCountsText(const TuneRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_TUNE_REPORT_H_
