// The back-test: what the simulator says of a run's own history, beside what the run logged.

#ifndef SHAPEWISE_RESULT_BACK_TEST_H_
#define SHAPEWISE_RESULT_BACK_TEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/place.h"

namespace shapewise {

/// How a prediction compares with the log.
enum class BackTestVerdict : uint8_t {
  kEqual,       ///< "equal": as many compiles as logged
  kLowerBound,  ///< "lower_bound": fewer than logged, and the history may lack calls
  kDiffers,     ///< "differs": the simulator, the body or the history is wrong; `why` says more
  kNotLogged,   ///< "not_logged": predicted, and the log does not tell how often it compiled
  kUnmodelled,  ///< "unmodelled": nothing is predicted, `why` says what is missing
};
/// The word of a verdict, as results have it.
std::string_view BackTestVerdictName(BackTestVerdict verdict);

/// Where the calls that are replayed come from.
enum class HistoryOrigin : uint8_t {
  kCalls,     ///< "calls": a recorder wrote every call
  kCompiles,  ///< "compiles": inputs of each compilation, as a structured trace tells them
  kMisses,    ///< "misses": values in the reasons of recompiles
  kNone,      ///< "none": no call is known
};
/// The word of it, as results have it.
std::string_view HistoryOriginName(HistoryOrigin origin);

/// One code object of one process: a compiled function, or what resumes one after a graph break.
struct BackTestRow {
  Place where;
  int32_t rank = -1;    ///< -1: not told
  std::string frame;    ///< its number in compile ids: "0"; empty: not told
  size_t function = 0;  ///< index of the RunFunction that it belongs to

  HistoryOrigin origin = HistoryOrigin::kNone;
  uint64_t calls = 0;  ///< replayed
  bool is_lower_bound = false;

  std::optional<uint64_t> logged_compiles;  ///< that gave code; absent: not told
  uint64_t logged_failures = 0;
  uint64_t logged_limit_hits = 0;
  std::optional<uint64_t> predicted_compiles;  ///< absent: unmodelled
  uint64_t predicted_failures = 0;
  uint64_t predicted_limit_hits = 0;
  uint64_t predicted_eager_calls = 0;

  BackTestVerdict verdict = BackTestVerdict::kUnmodelled;
  std::string why;      ///< of kDiffers, kLowerBound and kUnmodelled, in a sentence
  std::string assumed;  ///< what the prediction takes for granted; empty: nothing
};

/// Of a whole run: rows in the order of its functions.
struct BackTestReport {
  std::vector<BackTestRow> rows;
  uint64_t equal = 0;  ///< rows by verdict
  uint64_t lower_bound = 0;
  uint64_t differs = 0;
  uint64_t not_logged = 0;
  uint64_t unmodelled = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_BACK_TEST_H_
