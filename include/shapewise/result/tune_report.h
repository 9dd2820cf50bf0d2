// What leaves `tune`: runs of the user's own program, as it is and with actions injected.

#ifndef SHAPEWISE_RESULT_TUNE_REPORT_H_
#define SHAPEWISE_RESULT_TUNE_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/advice.h"
#include "shapewise/result/replay_report.h"

namespace shapewise {

/// How a run of the program ended.
enum class TuneEnd : uint8_t {
  kEnded,        ///< "ended": by itself
  kSteps,        ///< "steps": after the requested number of calls
  kSeconds,      ///< "seconds": at the first call after the requested time
  kTimeout,      ///< "timeout": a signal ended it, because it made no call for too long
  kInterrupted,  ///< "interrupted": the user ended `tune`
};
/// The word of an end, as results contain it.
std::string_view TuneEndName(TuneEnd end);

/// Calls of one compiled function.
struct TunedFunction {
  std::string name;
  uint64_t calls = 0;
  uint64_t eager_calls = 0;  ///< in which no compiled graph ran
};

/// Counts and times of one run, by Dynamo's counters; summed over its processes.
struct TuneRun {
  std::string folder;  ///< which `lint` reads
  TuneEnd end = TuneEnd::kEnded;
  int status = 0;           ///< exit status; 128 + N: signal N
  double run_seconds = 0;   ///< of the whole process, imports included
  uint64_t calls = 0;       ///< of compiled functions
  uint64_t steps = 0;       ///< calls of the process with the most
  uint64_t compiles = 0;    ///< graphs passed to the backend
  uint64_t recompiles = 0;  ///< compilations of a frame after its first
  uint64_t graph_breaks = 0;
  uint64_t limit_hits = 0;
  uint64_t eager_calls = 0;
  uint64_t errors = 0;  ///< calls that raised
  std::string error;    ///< the first of them; else the last line of a failed program
  std::optional<uint64_t> error_call;
  std::string problem;  ///< why the action could not be applied
  double compile_seconds = 0;
  double wall_seconds = 0;                        ///< from the first call to the end of the last
  std::optional<MeasuredRange> steps_per_second;  ///< of calls after which nothing was compiled
  std::optional<uint64_t> peak_bytes;
  std::vector<TunedFunction> functions;
  std::optional<bool> equal;  ///< results are those of the unchanged program; absent: not known
  std::string equal_why;      ///< what differs first, or why it is not known

  /// The program failed by itself: no signal of ours.
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
  kFailed,      ///< "failed": it raises an error or does not end, and the unchanged program does
  kNotApplied,  ///< "not_applied": nothing in the program could be changed by it
};
/// The word of a verdict, as results contain it.
std::string_view TuneVerdictName(TuneVerdict verdict);

/// A source file with fixes, which a run reads instead of the file.
struct TunePatch {
  std::string path;  ///< absolute
  std::string text;
  std::string diff;  ///< from the file to `text`
};

/// One candidate: an action, or several that are tried together.
struct TunedAction {
  std::string policy;                  ///< as `predict --policy` takes it; of fixes: "fixes"
  std::vector<RankedAction> parts;     ///< what to paste
  std::vector<std::string> functions;  ///< of each part: the function whose calls it changes
  std::vector<TunePatch> patches;
  std::string origin;  ///< "advise", "plan", "generic", "check", "combination"
  std::optional<TuneRun> run;
  TuneVerdict verdict = TuneVerdict::kNotRun;
  std::string why;  ///< of the verdict, a clause
};

/// The answer of `tune`.
struct TuneReport {
  std::string command;  ///< as it was given
  std::string folder;
  std::string backend;  ///< that replaced the program's; empty: it was kept
  std::string torch;
  std::string device;
  TuneRun baseline;
  std::optional<TuneRun> repeated;          ///< the unchanged program again, for noise
  std::vector<TunedAction> actions;         ///< in the order in which they were run
  std::optional<size_t> best;               ///< of `actions`; absent: nothing helps
  std::optional<TuneRun> confirmed_before;  ///< with the real backend
  std::optional<TunedAction> confirmed;     ///< the best action with the real backend
  bool is_interrupted = false;
  std::vector<std::string> gaps;  ///< what could not be done or measured, one sentence each
};

/// "9 compiles, 1 limit hit, 41 eager calls": the counts of a run that are not 0.
std::string TuneCountsText(const TuneRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_TUNE_REPORT_H_
