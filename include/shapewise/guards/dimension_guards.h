// "Is this dimension really free, and if not, which lines pin it": the guards of all cache entries
// of a function, as constraints on sizes.

#ifndef SHAPEWISE_GUARDS_DIMENSION_GUARDS_H_
#define SHAPEWISE_GUARDS_DIMENSION_GUARDS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/graph_model.h"
#include "shapewise/model/session.h"
#include "shapewise/result/guard_report.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// The sizes that one variable is to take.
struct SizeChoice {
  std::string name;             ///< "x.size()[0]", without the frame's L[...]
  std::vector<int64_t> values;  ///< ascending, each once; at least one
};

/// What to ask of the guards.
struct GuardQuery {
  std::string function;            ///< only functions of this name; empty: all
  std::vector<SizeChoice> sizes;   ///< every combination is a call; empty: the calls of the run
  uint64_t solver_steps = 20'000;  ///< of one question; beyond it the answer is "unknown"
};

/// Reads "L['x'].size()[0]=1,2,5-9" (also "x.shape[0]=..." or "n=...": an int).
/// Error: no name, no values, a range that runs backwards, or more than 4096 values.
Expected<SizeChoice> ParseSizeChoice(std::string_view text);

/// Judges every function of the run that has cache entries: worst first, then by place. Linear in
/// the guards but for the solver, whose steps are bounded. Only what ReadOptions::guard_texts
/// brings into the session is known.
std::vector<FunctionGuards> AnalyzeGuards(const Session& session, const GuardQuery& query);

/// The same for captured graphs: each that has symbols is one entry of its own.
std::vector<FunctionGuards> AnalyzeGraphGuards(const GraphSet& graphs, const GuardQuery& query);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_DIMENSION_GUARDS_H_
