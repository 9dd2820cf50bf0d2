// Answers "is this dimension really dynamic, and if not, which lines pin it" from the guards of all
// cache entries of a function, as constraints on sizes.

#ifndef SHAPEWISE_GUARDS_DIMENSION_GUARDS_H_
#define SHAPEWISE_GUARDS_DIMENSION_GUARDS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph_model.h"
#include "model/session.h"
#include "result/guard_report.h"
#include "support/error.h"

namespace shapewise {

/// The values to try for one variable.
struct SizeChoice {
  std::string name;             ///< "x.size()[0]", without the frame's L[...]
  std::vector<int64_t> values;  ///< ascending, each once; at least one
};

/// What to ask of the guards.
struct GuardQuery {
  std::string function;            ///< only functions with this name; empty: all
  std::vector<SizeChoice> sizes;   ///< each combination is a call; empty: use the calls of the run
  uint64_t solver_steps = 20'000;  ///< limit for one question; beyond it the answer is "unknown"
};

/// Parses "L['x'].size()[0]=1,2,5-9" (also "x.shape[0]=..." or "n=...": an int). Error: no name, no
/// values, a reversed range, or more than 4096 values.
Expected<SizeChoice> ParseSizeChoice(std::string_view text);

/// Analyzes every function of the run with cache entries: worst first, then by place. Linear in the
/// guards, apart from the solver, whose steps are bounded. Uses only guards that
/// ReadOptions::guard_texts reads into the session.
std::vector<FunctionGuards> AnalyzeGuards(const Session& session, const GuardQuery& query);

/// The same for captured graphs: each graph with symbols is one entry.
std::vector<FunctionGuards> AnalyzeGraphGuards(const GraphSet& graphs, const GuardQuery& query);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_DIMENSION_GUARDS_H_
