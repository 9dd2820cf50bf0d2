// Applies policies that pad dims together or serve sizes in several ways: calls are padded and
// marked, and each way uses its own torch.compile.

#ifndef SHAPEWISE_DYNAMO_SERVED_CALLS_H_
#define SHAPEWISE_DYNAMO_SERVED_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_SERVED_CALLS_H_
