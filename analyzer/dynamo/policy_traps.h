// Caveats of a what-if: known problems of marks and buckets, where they apply.

#ifndef SHAPEWISE_DYNAMO_POLICY_TRAPS_H_
#define SHAPEWISE_DYNAMO_POLICY_TRAPS_H_

#include <string>
#include <vector>

#include "dynamo/body.h"
#include "model/call_history.h"
#include "model/compile_policy.h"

namespace shapewise {

/// The caveats of the marks and buckets of `policy` for a function with the calls `history` and the
/// body `body`; one sentence each, without a full stop. Rules: analyzer/docs/dynamo-rules.md.
std::vector<std::string> PolicyTraps(const CallHistory& history, const BodyFacts& body,
                                     const CompilePolicy& policy);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_POLICY_TRAPS_H_
