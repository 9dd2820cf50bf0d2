// The result of `predict`: what Dynamo does with a history of calls.

#ifndef SHAPEWISE_RESULT_PREDICTION_H_
#define SHAPEWISE_RESULT_PREDICTION_H_

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_PREDICTION_H_
