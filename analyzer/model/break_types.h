// Types of graph breaks, and classes of errors, that more than one engine knows.

#ifndef SHAPEWISE_MODEL_BREAK_TYPES_H_
#define SHAPEWISE_MODEL_BREAK_TYPES_H_

#include <string_view>

#include "support/text_scan.h"

namespace shapewise {

/// The type of the break at a call of a function that Dynamo does not trace.
inline constexpr std::string_view kMarkedAsSkipped = "Attempted to call function marked as skipped";

/// The type of the break at a tensor that is read as a number, as the warning about it says.
inline constexpr std::string_view kTensorItem = "Tensor.item()";

/// The type of the break at an operator without a fake kernel.
inline constexpr std::string_view kNoFakeKernel =
    "Operator does not support running with fake tensors";

/// The beginning of the types of breaks at an exception that the traced code raises.
inline constexpr std::string_view kObservedException = "Observed exception";

/// Whether an exception of the class `type` says that a recompile limit was hit. 2.5 and 2.6 call
/// it a cache limit.
inline bool IsLimitError(std::string_view type) {
  return IsOneOf(type, {"FailOnRecompileLimitHit", "FailOnCacheLimitHit", "RecompileLimitExceeded",
                        "CacheLimitExceeded"});
}

/// The beginning of the message that a limit was hit, since 2.7.
inline constexpr std::string_view kLimitExceeded = "Dynamo recompile limit exceeded";

/// Whether a message says that a limit was hit: it is raised as Unsupported, until 2.6 as "...
/// reached".
inline bool SaysLimitReached(std::string_view message) {
  return message.starts_with(kLimitExceeded) ||
         message.starts_with("Dynamo cache limit exceeded") ||
         message.ends_with("recompile_limit reached") ||
         message.ends_with("cache_size_limit reached");
}

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_BREAK_TYPES_H_
