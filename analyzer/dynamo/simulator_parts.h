// The parts of a simulation, one file each.

#ifndef SHAPEWISE_DYNAMO_SIMULATOR_PARTS_H_
#define SHAPEWISE_DYNAMO_SIMULATOR_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/call_inputs.h"
#include "dynamo/code_cache.h"
#include "model/call_history.h"
#include "model/compile_policy.h"

namespace shapewise {

/// The first shape that is at least `sizes` in every dim; null if all are too small.
const std::vector<int64_t>* FirstThatHolds(const PolicyShapes& shapes,
                                           const std::vector<int64_t>& sizes);

/// The range that contains `size`; null: none.
const SizeSpan* SpanOf(const PolicyServing& serving, int64_t size);

/// The index of `source` among the sources of `history`; the number of sources if it is not one of
/// them.
size_t NumberOfSource(const CallHistory& history, std::string_view source);

/// Whether ServeCalls changes the calls of a policy.
bool ServesCalls(const CompilePolicy& policy);

/// Writes the calls of `history` under `policy` to the empty `served`, and removes from `policy`
/// what was applied. If sizes are served in several ways, a call goes to wrapper W * n + i, where W
/// is its own wrapper and i is which of the n ways serves it. Returns why not; empty: done.
std::string ServeCalls(const CallHistory& history, CompilePolicy& policy, CallHistory& served);

/// Why it is not known what the padding of `policy` leads to: two sizes that vary are equal in all
/// calls of `history`, and the policy pads them differently. Code that combines the tensors then
/// raises. Empty: it pads no such size, or `body`, traced with a symbol for each, compares none.
std::string WhyTieIsSplit(const CallHistory& history, const BodyFacts& body,
                          const CompilePolicy& policy);

/// Whether `wide` serves every call that `narrow` serves: both are entries for the first frame of
/// the body of `inputs`, possibly under different policies that change no input. False: it is not
/// known.
bool Covers(const CacheEntry& wide, const CacheEntry& narrow, CallInputs& inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_SIMULATOR_PARTS_H_
