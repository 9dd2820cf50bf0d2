// The simulator: Dynamo's decisions, call by call, without running anything.

#ifndef SHAPEWISE_DYNAMO_SIMULATOR_H_
#define SHAPEWISE_DYNAMO_SIMULATOR_H_

#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/dynamo/body.h"
#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"
#include "shapewise/result/prediction.h"

namespace shapewise {

/// A release of PyTorch, as rules compare it.
struct TorchVersion {
  int32_t major = 2;
  int32_t minor = 13;
  friend auto operator<=>(const TorchVersion&, const TorchVersion&) = default;
};

/// Of which release, and how much is told.
struct SimulatorOptions {
  TorchVersion torch;
  bool keep_calls = true;  ///< fill Prediction::calls; else only the totals
  /// Go on where the body is not known as if it compared no sizes; Prediction::assumed says so.
  bool assume_no_questions = false;
};

/// What Dynamo does with `history` under `policy`, if `body` is what the function does. Starts from
/// fresh caches. Time grows with distinct signatures times entries; a repeated call costs a few
/// nanoseconds. Rules: analyzer/docs/dynamo-rules.md.
Prediction Simulate(const CallHistory& history, const BodyFacts& body, const CompilePolicy& policy,
                    const SimulatorOptions& options);

/// The same for many policies, one prediction each, in their order. Faster than one by one: what
/// does not depend on the policy is done once.
std::vector<Prediction> SimulateAll(const CallHistory& history, const BodyFacts& body,
                                    llvm::ArrayRef<CompilePolicy> policies,
                                    const SimulatorOptions& options);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_SIMULATOR_H_
