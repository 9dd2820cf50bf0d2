// Calls as a policy has them that pads dims together, or serves sizes in several ways: padded,
// marked, and each way through a torch.compile of its own.

#ifndef SHAPEWISE_DYNAMO_SERVED_CALLS_H_
#define SHAPEWISE_DYNAMO_SERVED_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"

namespace shapewise {

/// The first shape of which no size is below those of `sizes`; null: there is none.
const std::vector<int64_t>* FirstThatHolds(const PolicyShapes& shapes,
                                           const std::vector<int64_t>& sizes);

/// The stretch that `size` lies in; null: in none.
const SizeSpan* SpanOf(const PolicyServing& serving, int64_t size);

/// The number of `source` among the sources of `history`; how many these are: it is none.
size_t NumberOfSource(const CallHistory& history, std::string_view source);

/// Whether ServeCalls changes the calls of a policy.
bool ServesCalls(const CompilePolicy& policy);

/// Writes the calls of `history` as `policy` has them to `served`, which is empty, and takes out of
/// `policy` what was done. Where sizes are served in several ways, a call goes to wrapper W * n +
/// i, where W is its own and i tells which of n ways serves it. Why not; empty: it is done.
std::string ServeCalls(const CallHistory& history, CompilePolicy& policy, CallHistory& served);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_SERVED_CALLS_H_
