// The functions of a run: their calls, what is known of their bodies, and what they compiled.

#ifndef SHAPEWISE_DYNAMO_RUN_FUNCTION_H_
#define SHAPEWISE_DYNAMO_RUN_FUNCTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/run_probes.h"
#include "dynamo/simulator.h"
#include "model/call_history.h"
#include "model/compile_policy.h"
#include "model/recorded_function.h"
#include "model/session.h"
#include "result/place.h"
#include "result/prediction.h"

namespace shapewise {

/// What the run itself compiled for a function, according to its logs and traces.
struct LoggedCompiles {
  /// The number of compilations is known; else the counts are lower bounds.
  bool is_reported = false;
  uint64_t graphs = 0;  ///< compilations whose graph has operators
  uint64_t empty = 0;   ///< compilations whose graph has no operators, as far as traces show
  uint64_t failed = 0;  ///< compilations that raised
  uint64_t limit_hits = 0;
  bool is_eager_at_end = false;           ///< a limit was hit, and the function then ran eagerly
  std::optional<double> seconds;          ///< of all compilations; absent: unknown
  std::optional<double> static_seconds;   ///< mean of a graph without symbols
  std::optional<double> dynamic_seconds;  ///< mean of a graph with some
};

/// A compiled function of one process. A function that resumes another after a graph break is
/// separate.
struct RunFunction {
  Place where;
  /// Set if `where` has no name: the innermost function of stacks printed with it, which may be a
  /// callee. Use it only for comparison with a recorder's names.
  std::string likely_name;
  int32_t rank = -1;              ///< -1: not in the log
  std::optional<uint32_t> frame;  ///< its number in compile ids; absent: not in the log
  CallHistory history;
  HistoryOrigin origin = HistoryOrigin::kNone;
  BodyFacts body;
  bool is_probed = false;    ///< `body` rests on a probe, too
  std::string probe_missed;  ///< why a probe could not trace one of its calls; empty: it could
  CompilePolicy policy;      ///< its own, as far as known from the run; otherwise defaults
  TorchVersion torch;
  LoggedCompiles logged;
  /// Indices of the session's events that this was made from, ascending.
  std::vector<size_t> events;
  /// Relations on sizes that entries failed, as printed: the body asks at least these.
  std::vector<std::string> failed_relations;
  /// torch._dynamo.reset() ran after the previous records of the function, so caches were empty.
  bool was_reset = false;
  /// Misses without a logged reason: each is simulated as different from any earlier call.
  uint64_t unexplained_misses = 0;
  /// How the recorded calls are interpreted if the log allows several readings; empty: literally.
  std::string assumed;
  /// The records are of one of several processes, and do not show which.
  bool may_be_another_process = false;
  std::string unmodelled;  ///< why it cannot be simulated, in a sentence; empty: it can
};

/// The compiled functions of a run, ordered by process, then by first compilation, then by place.
/// `recorded`: recorded calls; for a recorded function, the history is complete, and only what
/// records lack (dtypes, grad mode) comes from the log; for other functions it consists of cache
/// misses, a lower bound. Recorded functions that are not in the log come last. `probes`:
/// results of the probes of the run (analyzer/docs/bodies.md), or null.
std::vector<std::unique_ptr<RunFunction>> FunctionsOfRun(
    const Session& session, const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {},
    const RunProbes* probes = nullptr);

/// The estimated seconds to compile the graphs of `totals`, from the mean compile times of the run;
/// absent if the run compiled no graph of a kind that is needed.
std::optional<double> PredictedCompileSeconds(const PredictedTotals& totals,
                                              const LoggedCompiles& logged);

/// Simulates each function's history under its own policy and compares the result with the log. A
/// function with an unknown body is simulated as if it compared no sizes, and its row says so: an
/// equal row supports this assumption, a different one contradicts it.
BackTestReport BackTestFunctions(const std::vector<std::unique_ptr<RunFunction>>& functions);

/// A recorded function and what it runs after its graph breaks.
struct LinkedFunctions {
  BodyFacts body;
  /// For each frame of `body` the index of its function. The first is the recorded one.
  std::vector<size_t> functions;
};

/// Links `functions`, those of `session`. Only links that predict what the run compiled for each of
/// the functions are returned.
std::vector<LinkedFunctions> LinkFunctions(
    const Session& session, const RunProbes* probes,
    const std::vector<std::unique_ptr<RunFunction>>& functions);

/// Simulates the calls of the first of `linked`, whose policy is `policy`; `Prediction::frames` has
/// the part of each function.
Prediction SimulateLinked(const LinkedFunctions& linked, const RunFunction& first,
                          const CompilePolicy& policy, SimulatorOptions options);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RUN_FUNCTION_H_
