// Simulates Dynamo's decisions call by call, without running anything.

#ifndef SHAPEWISE_DYNAMO_SIMULATOR_H_
#define SHAPEWISE_DYNAMO_SIMULATOR_H_

#include <cstdint>
#include <vector>

#include "dynamo/body.h"
#include "llvm/ADT/ArrayRef.h"
#include "model/call_history.h"
#include "model/compile_policy.h"
#include "result/prediction.h"

namespace shapewise {

/// A PyTorch release, for rules that depend on it.
struct TorchVersion {
  int32_t major = 2;
  int32_t minor = 13;
  friend auto operator<=>(const TorchVersion&, const TorchVersion&) = default;
};

/// The release to simulate, and how much to return.
struct SimulatorOptions {
  TorchVersion torch;
  bool keep_calls = true;  ///< fill Prediction::calls; else only totals
  /// If the body is unknown, assume that it compares no sizes; Prediction::assumed then says so.
  bool assume_no_questions = false;
};

/// Returns what Dynamo does with `history` under `policy` if `body` describes the function,
/// starting with empty caches. Time grows with distinct signatures times entries; a repeated call
/// costs a few nanoseconds. Not exact if a tensor after a graph break may be one that `policy`
/// marks: a mark stays on its tensor, under any name. Rules: analyzer/docs/dynamo-rules.md.
Prediction Simulate(const CallHistory& history, const BodyFacts& body, const CompilePolicy& policy,
                    const SimulatorOptions& options);

/// Whether nothing is missing for a prediction under `policy` although `history` contains only the
/// calls that missed a cache under the policy `own`: an entry of the run served every other call,
/// and all calls that this entry serves are served under `policy`, too. Neither policy hits a limit
/// with `history`. False: it is not known.
bool ServesMissingCalls(const CallHistory& history, const BodyFacts& body, const CompilePolicy& own,
                        const CompilePolicy& policy, SimulatorOptions options);

/// Simulate() for many policies, one prediction each, in order. Faster than separate calls because
/// work that does not depend on the policy is shared.
std::vector<Prediction> SimulateAll(const CallHistory& history, const BodyFacts& body,
                                    llvm::ArrayRef<CompilePolicy> policies,
                                    const SimulatorOptions& options);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_SIMULATOR_H_
