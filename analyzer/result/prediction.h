// The result of `predict`: what Dynamo does with a history of calls. The predictions for a run with
// their back-test: the simulator's result for a run's own history, compared with the log.

#ifndef SHAPEWISE_RESULT_PREDICTION_H_
#define SHAPEWISE_RESULT_PREDICTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/place.h"

namespace shapewise {

/// A recompile limit that a call hit.
struct PredictedLimit {
  std::string frame;  ///< name of the code object
  std::string type;   ///< "recompile_limit" or "accumulated_recompile_limit"
};

/// The outcome of one call.
struct PredictedCall {
  std::vector<uint32_t> compiled;  ///< graphs passed to the backend, numbered over all calls
  std::vector<uint32_t> ran;       ///< graphs that run, in order
  bool eager = false;              ///< no graph runs and nothing is raised
  std::string error;               ///< class of the exception raised by Dynamo; empty: none
  std::vector<PredictedLimit> limits;
};

/// Sums over all calls of a history.
struct PredictedTotals {
  uint64_t graphs = 0;   ///< passed to the backend
  uint64_t entries = 0;  ///< added to code caches
  uint64_t empty = 0;    ///< compiles that found no operators and made no entry
  uint64_t eager_calls = 0;
  uint64_t error_calls = 0;
  uint64_t limit_hits = 0;
  uint64_t static_graphs = 0;  ///< number of `graphs` without a symbol

  /// Compiles that raised nothing.
  uint64_t compiles() const { return entries + empty; }
};

/// The prediction for one history under one policy.
struct Prediction {
  bool is_exact = false;             ///< else see `why`, and only `known_calls` below is valid
  std::string why;                   ///< what is unknown, in a sentence
  std::string assumed;               ///< assumptions made on request; empty: none
  uint64_t known_calls = 0;          ///< number of calls before the first undecided one
  std::vector<PredictedCall> calls;  ///< one per call; empty if not requested
  PredictedTotals totals;
  /// The part of each code object of the body in `totals`. Its eager calls are those that hit or
  /// hit earlier a limit of its own.
  std::vector<PredictedTotals> frames;
};

/// How a prediction compares with the log.
enum class BackTestVerdict : uint8_t {
  kEqual,       ///< "equal": as many compiles as logged
  kLowerBound,  ///< "lower_bound": fewer than logged, because the history may lack calls
  kDiffers,     ///< "differs": the simulator, the body or the history is wrong; see `why`
  kNotLogged,   ///< "not_logged": predicted, but the log does not show the number of compiles
  kUnmodelled,  ///< "unmodelled": no prediction; `why` says what is missing
};
/// The word of a verdict in results.
std::string_view BackTestVerdictName(BackTestVerdict verdict);

/// The origin of the simulated calls.
enum class HistoryOrigin : uint8_t {
  kCalls,     ///< "calls": a recorder wrote every call
  kCompiles,  ///< "compiles": inputs of each compilation, from a structured trace
  kMisses,    ///< "misses": values in the reasons of recompiles
  kNone,      ///< "none": no call is known
};
/// The word of it in results.
std::string_view HistoryOriginName(HistoryOrigin origin);

/// A code object of one process: a compiled function, or a resume function.
struct BackTestRow {
  Place where;
  int32_t rank = -1;    ///< -1: unknown
  std::string frame;    ///< its number in compile ids: "0"; empty: unknown
  size_t function = 0;  ///< index of its RunFunction

  HistoryOrigin origin = HistoryOrigin::kNone;
  uint64_t calls = 0;  ///< simulated calls
  bool is_lower_bound = false;

  std::optional<uint64_t> logged_compiles;  ///< compiles that produced code; absent: unknown
  uint64_t logged_failures = 0;
  uint64_t logged_limit_hits = 0;
  std::optional<uint64_t> predicted_compiles;  ///< absent: unmodelled
  uint64_t predicted_failures = 0;
  uint64_t predicted_limit_hits = 0;
  uint64_t predicted_eager_calls = 0;

  BackTestVerdict verdict = BackTestVerdict::kUnmodelled;
  std::string why;      ///< a sentence, for kDiffers, kLowerBound and kUnmodelled
  std::string assumed;  ///< assumptions of the prediction; empty: none
};

/// The back-test of a run, in the order of its functions.
struct BackTestReport {
  std::vector<BackTestRow> rows;
  uint64_t equal = 0;  ///< number of rows by verdict
  uint64_t lower_bound = 0;
  uint64_t differs = 0;
  uint64_t not_logged = 0;
  uint64_t unmodelled = 0;
};

/// The answer to one scenario.
struct ScenarioAnswer {
  size_t index = 0;  ///< index of the answer, from 0
  std::string id;
  std::string function;
  Prediction prediction;
};

/// Counts of all answers.
struct ScenarioTally {
  uint64_t answers = 0;
  uint64_t exact = 0;
  uint64_t damaged = 0;  ///< lines that are not a complete scenario
};

/// One function under one policy.
struct PolicyOutcome {
  static constexpr size_t kMaxCallsKept = 32;

  std::string policy;           ///< as requested: "mark_dynamic(x, 1)"; "as is"
  bool is_own = false;          ///< the policy of the run itself
  bool is_unchanged = false;    ///< it has no effect here: the prediction equals that of "as is"
  std::string not_applicable;   ///< why it does not apply to this function; empty: it does
  Prediction prediction;        ///< without its calls
  bool is_lower_bound = false;  ///< calls that are missing may add to it
  bool has_calls = false;       ///< the members below are filled in
  std::vector<uint64_t> compile_calls;    ///< calls that compile, at most kMaxCallsKept
  std::optional<uint64_t> limit_call;     ///< first call that hits a limit
  std::optional<uint64_t> eager_call;     ///< first call that runs eagerly
  std::optional<uint64_t> error_call;     ///< first call that raises
  std::string error;                      ///< the error that it raises
  std::optional<double> compile_seconds;  ///< from the mean of logged compilations; absent: unknown
  std::vector<std::string> traps;         ///< caveats, one sentence each
};

/// One function: what was logged, and what is predicted.
struct FunctionPrediction {
  Place where;
  int32_t rank = -1;  ///< -1: unknown
  std::string frame;  ///< "0" in its compile ids; empty: unknown
  HistoryOrigin origin = HistoryOrigin::kNone;
  uint64_t calls = 0;
  uint64_t distinct_calls = 0;
  bool is_lower_bound = false;           ///< there may have been more calls than were recorded
  bool is_probed = false;                ///< what is known of its body rests on a probe, too
  std::string probe_missed;              ///< why a probe could not trace a call; empty: it could
  std::string unmodelled;                ///< why nothing can be predicted; empty: something can
  std::optional<double> logged_seconds;  ///< of all its compilations; absent: unknown
  BackTestRow back_test;                ///< the history under its own policy, compared with the log
  std::vector<PolicyOutcome> outcomes;  ///< its own policy first, then in the order asked for
};

/// A policy over all functions.
struct PolicyTotals {
  std::string policy;
  uint64_t functions = 0;   ///< predicted functions; where the policy does not apply, as is
  uint64_t unmodelled = 0;  ///< functions without a prediction
  PredictedTotals totals;   ///< over functions predicted under every policy
  std::optional<double> compile_seconds;  ///< absent: unknown for one of them
};

/// The prediction for a run.
struct PredictionReport {
  std::vector<FunctionPrediction> functions;  ///< by process and first compilation
  BackTestReport back_test;                   ///< of all functions; without its rows
  std::vector<PolicyTotals> policies;         ///< in the order of FunctionPrediction::outcomes
  /// Functions predicted under every policy, as summed in `policies`.
  uint64_t summed_functions = 0;
  bool is_comparison = false;       ///< print tables
  std::vector<std::string> gaps;    ///< limits of the input, one sentence each
  std::vector<std::string> unread;  ///< one message per unreadable input
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_PREDICTION_H_
