// What leaves `predict`: answers to scenarios, and a run beside what it could have been.

#ifndef SHAPEWISE_RESULT_PREDICTION_REPORT_H_
#define SHAPEWISE_RESULT_PREDICTION_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/result/back_test.h"
#include "shapewise/result/place.h"
#include "shapewise/result/prediction.h"

namespace shapewise {

/// The answer to one scenario.
struct ScenarioAnswer {
  size_t index = 0;  ///< of the answer, from 0
  std::string id;
  std::string function;
  Prediction prediction;
};

/// All answers of a run of the program.
struct ScenarioTally {
  uint64_t answers = 0;
  uint64_t exact = 0;
  uint64_t damaged = 0;  ///< lines that are no scenario, or none that is whole
};

/// One function under one policy.
struct PolicyOutcome {
  static constexpr size_t kMaxCallsKept = 32;

  std::string policy;           ///< as it was asked for: "mark_dynamic(x, 1)"; "as is"
  bool is_own = false;          ///< the policy that the function has
  bool is_unchanged = false;    ///< it changes nothing here: the prediction is that of "as is"
  std::string not_applicable;   ///< why it can't hold for this function; empty: it can
  Prediction prediction;        ///< without its calls
  bool are_calls_told = false;  ///< the members below are filled
  std::vector<uint64_t> compile_calls;  ///< calls that compile, at most kMaxCallsKept
  std::optional<uint64_t> limit_call;   ///< first call that hits a limit
  std::optional<uint64_t> eager_call;   ///< first call that runs eager
  std::optional<uint64_t> error_call;   ///< first call that raises
  std::string error;                    ///< what it raises
  std::optional<double>
      compile_seconds;  ///< predicted from the mean of logged compilations; absent: not told
  std::vector<std::string> traps;  ///< what to know before doing it, one sentence each
};

/// One function: what it logged, and what is predicted.
struct FunctionPrediction {
  Place where;
  int32_t rank = -1;  ///< -1: not told
  std::string frame;  ///< "0" of its compile ids; empty: not told
  HistoryOrigin origin = HistoryOrigin::kNone;
  uint64_t calls = 0;
  uint64_t distinct_calls = 0;
  bool is_lower_bound = false;           ///< there may have been more calls than were recorded
  bool is_probed = false;                ///< what is known of its body rests on a probe, too
  std::string unmodelled;                ///< why nothing can be predicted; empty: something can
  std::optional<double> logged_seconds;  ///< of all its compilations; absent: not told
  BackTestRow back_test;                 ///< the history under its own policy, beside the log
  std::vector<PolicyOutcome> outcomes;   ///< its own policy first, then in the order asked for
};

/// A policy over all functions.
struct PolicyTotals {
  std::string policy;
  uint64_t functions = 0;                 ///< that are predicted; one it can't hold for is as is
  uint64_t unmodelled = 0;                ///< that are not
  PredictedTotals totals;                 ///< of the functions predicted under every policy
  std::optional<double> compile_seconds;  ///< absent: not told of one of them
};

/// The whole answer of `predict` for a run.
struct PredictionReport {
  std::vector<FunctionPrediction> functions;  ///< in order of process and first compilation
  BackTestReport back_test;                   ///< of all functions; without its rows
  std::vector<PolicyTotals> policies;         ///< as in FunctionPrediction::outcomes
  uint64_t summed_functions = 0;              ///< predicted under every policy: those of `policies`
  bool is_comparison = false;                 ///< print tables
  std::vector<std::string> gaps;              ///< what the input could not tell, one sentence each
  std::vector<std::string> unread;            ///< one message an input that could not be read
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_PREDICTION_REPORT_H_
