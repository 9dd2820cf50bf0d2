// The result of `predict`: answers to scenarios, or predictions for a run.

#ifndef SHAPEWISE_RESULT_PREDICTION_REPORT_H_
#define SHAPEWISE_RESULT_PREDICTION_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/back_test.h"
#include "result/place.h"
#include "result/prediction.h"

namespace shapewise {

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

#endif  // SHAPEWISE_RESULT_PREDICTION_REPORT_H_
