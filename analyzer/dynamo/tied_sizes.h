// Sizes of inputs that are equal in every call, of which a policy pads only some.

#ifndef SHAPEWISE_DYNAMO_TIED_SIZES_H_
#define SHAPEWISE_DYNAMO_TIED_SIZES_H_

#include <string>

#include "dynamo/body.h"
#include "model/call_history.h"
#include "model/compile_policy.h"

namespace shapewise {

/// Why it is not known what the padding of `policy` leads to: two sizes that vary are equal in all
/// calls of `history`, and the policy pads them differently. Code that combines the tensors then
/// raises. Empty: it pads no such size, or `body`, traced with a symbol for each, compares none.
std::string WhyTieIsSplit(const CallHistory& history, const BodyFacts& body,
                          const CompilePolicy& policy);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_TIED_SIZES_H_
