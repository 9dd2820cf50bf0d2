// The back-test: the simulator's result for a run's own history, compared with the log.

#ifndef SHAPEWISE_RESULT_BACK_TEST_H_
#define SHAPEWISE_RESULT_BACK_TEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/place.h"

namespace shapewise {

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

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_BACK_TEST_H_
