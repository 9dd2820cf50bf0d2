// Calls of one function that a recorder wrote: every call, not only those that missed a cache.

#ifndef SHAPEWISE_MODEL_RECORDED_FUNCTION_H_
#define SHAPEWISE_MODEL_RECORDED_FUNCTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"

namespace shapewise {

/// The calls of one function in one process, as call records tell them (docs/call-records.md).
struct RecordedFunction {
  std::string function;  ///< as the recorder names it: "step", "Mixer.forward"
  std::string file;      ///< a suffix of the path is enough; empty: not told
  uint32_t line = 0;     ///< of its definition; 0: not told
  int32_t rank = -1;     ///< -1: not told
  CallHistory history;
  std::optional<CompilePolicy> policy;  ///< absent: not told
  bool is_compiled = true;              ///< false: batches of a loader, or the like
  /// Calls of `history` that were counted without their order; they stand where they first came.
  uint64_t unordered_calls = 0;
  uint64_t dropped_calls = 0;  ///< that the recorder had no room for; not in `history`
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_RECORDED_FUNCTION_H_
