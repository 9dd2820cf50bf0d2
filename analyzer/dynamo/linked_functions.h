// Functions that a recorded function runs after its graph breaks: no call enters them, but their
// calls follow from its calls.

#ifndef SHAPEWISE_DYNAMO_LINKED_FUNCTIONS_H_
#define SHAPEWISE_DYNAMO_LINKED_FUNCTIONS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/run_function.h"
#include "dynamo/run_probes.h"
#include "dynamo/simulator.h"
#include "model/compile_policy.h"
#include "model/session.h"
#include "result/prediction.h"

namespace shapewise {

/// A recorded function and what it runs after its graph breaks.
struct LinkedFunctions {
  BodyFacts body;
  /// For each frame of `body` the index of its function. The first is the recorded one.
  std::vector<size_t> functions;
};

/// Links `functions`, those of `session`. Only links that predict what the run compiled for each of
/// the functions are returned.
std::vector<LinkedFunctions> LinkFunctions(
    const Session& session, const RunProbes* probes,
    const std::vector<std::unique_ptr<RunFunction>>& functions);

/// Simulates the calls of the first of `linked`, whose policy is `policy`; `Prediction::frames` has
/// the part of each function.
Prediction SimulateLinked(const LinkedFunctions& linked, const RunFunction& first,
                          const CompilePolicy& policy, SimulatorOptions options);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_LINKED_FUNCTIONS_H_
