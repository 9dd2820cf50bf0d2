// A run, function by function: its history of calls, what is known of bodies, what it compiled.

#ifndef SHAPEWISE_DYNAMO_RUN_FUNCTION_H_
#define SHAPEWISE_DYNAMO_RUN_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/dynamo/body.h"
#include "shapewise/dynamo/simulator.h"
#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"
#include "shapewise/model/recorded_function.h"
#include "shapewise/model/session.h"
#include "shapewise/result/back_test.h"
#include "shapewise/result/place.h"
#include "shapewise/result/prediction.h"

namespace shapewise {

/// What the run itself did with a function, as its logs and traces tell.
struct LoggedCompiles {
  bool is_told = false;  ///< how often it compiled is known; else the counts are of what was seen
  uint64_t graphs = 0;   ///< compilations that gave a graph with ops
  uint64_t empty = 0;    ///< compilations that gave code without ops, as far as traces tell
  uint64_t failed = 0;   ///< compilations that raised
  uint64_t limit_hits = 0;
  bool is_eager_at_end = false;           ///< a limit was hit, and the function went on uncompiled
  std::optional<double> seconds;          ///< of all compilations; absent: not told
  std::optional<double> static_seconds;   ///< mean of a graph without symbols
  std::optional<double> dynamic_seconds;  ///< mean of a graph with some
};

/// One compiled function of one process. A function that resumes another after a graph break is
/// one of its own.
struct RunFunction {
  Place where;
  /// Without a name in `where`: the innermost function of stacks printed with it, which may be one
  /// that it calls. Only good to be held against a recorder's names.
  std::string likely_name;
  int32_t rank = -1;              ///< -1: not told
  std::optional<uint32_t> frame;  ///< its number in compile ids; absent: not told
  CallHistory history;
  HistoryOrigin origin = HistoryOrigin::kNone;
  BodyFacts body;
  bool is_probed = false;  ///< `body` rests on a probe, too
  CompilePolicy policy;    ///< its own, as far as the run tells; defaults elsewhere
  TorchVersion torch;
  LoggedCompiles logged;
  std::vector<size_t> events;  ///< of the session: what this was made from, ascending
  /// Relations on sizes that entries failed, as printed: the body asks them, and perhaps more.
  std::vector<std::string> failed_relations;
  /// torch._dynamo.reset() was called after what the log contains it: caches were empty then.
  bool was_reset = false;
  /// Misses of which the log does not say why: each is replayed as unlike any call before.
  uint64_t untold_misses = 0;
  /// What the recorded calls are taken to be, where the log allows more than one reading; empty:
  /// they are what they say.
  std::string assumed;
  /// The records tell of one of several processes, not of which.
  bool may_be_another_process = false;
  std::string unmodelled;  ///< why it can't be replayed, in a sentence; empty: it can
};

/// The compiled functions of a run, ordered by process, then by first compilation, then by place.
/// `recorded`: what a recorder wrote; where it tells of a function, the history is taken from there
/// and complete, with what records do not hold (dtypes, grad mode) as the log tells it; elsewhere
/// it comes from what missed the caches, a lower bound. Recorded functions of which the log does
/// not tell come last. `probes`: what probes of the run traced of bodies (analyzer/docs/bodies.md);
/// null: there are none.
std::vector<std::unique_ptr<RunFunction>> FunctionsOfRun(
    const Session& session, const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {},
    const Session* probes = nullptr);

/// What the compilations of `session` tell of the body of the function whose frame number in
/// compile ids is `frame`, and whose name and line are those of `where`, as far as they are given,
/// in the first process. If neither is given and the run compiled several functions that do not
/// call each other, nothing is known.
BodyFacts BodyOfRun(const Session& session, std::optional<uint32_t> frame, const Place& where);

/// Seconds that the graphs of `totals` take to compile, by the mean of those that the run compiled;
/// absent where it compiled none of a kind that is needed.
std::optional<double> PredictedCompileSeconds(const PredictedTotals& totals,
                                              const LoggedCompiles& logged);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RUN_FUNCTION_H_
