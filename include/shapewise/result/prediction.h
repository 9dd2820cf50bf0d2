// What Dynamo would do with a history of calls: the answer of `predict`.

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

/// What happens in one call.
struct PredictedCall {
  std::vector<uint32_t> compiled;  ///< graphs handed to the backend, numbered over all calls
  std::vector<uint32_t> ran;       ///< graphs that run, in order
  bool eager = false;              ///< no graph runs and nothing is raised
  std::string error;               ///< class of the exception that Dynamo raises; empty: none
  std::vector<PredictedLimit> limits;
};

/// Sums over all calls of a history.
struct PredictedTotals {
  uint64_t graphs = 0;   ///< handed to the backend
  uint64_t entries = 0;  ///< made in the code caches
  uint64_t eager_calls = 0;
  uint64_t error_calls = 0;
  uint64_t limit_hits = 0;
  uint64_t static_graphs = 0;  ///< of `graphs`, those without a symbol
};

/// The answer for one history under one policy.
struct Prediction {
  bool is_exact = false;             ///< else `why`, and nothing below but `known_calls` holds
  std::string why;                   ///< what is not known, in a sentence
  std::string assumed;               ///< what was assumed on request; empty: nothing
  uint64_t known_calls = 0;          ///< calls before the first that could not be decided
  std::vector<PredictedCall> calls;  ///< one a call; empty if not asked for
  PredictedTotals totals;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_PREDICTION_H_
