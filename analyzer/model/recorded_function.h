// Recorded calls of one function: all calls, not only those that missed a cache.

#ifndef SHAPEWISE_MODEL_RECORDED_FUNCTION_H_
#define SHAPEWISE_MODEL_RECORDED_FUNCTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "model/call_history.h"
#include "model/compile_policy.h"

namespace shapewise {

/// The calls of one function in one process, from call records (docs/call-records.md).
struct RecordedFunction {
  std::string function;  ///< the recorder's name: "step", "Mixer.forward"
  std::string file;      ///< a suffix of the path is enough; empty: unknown
  uint32_t line = 0;     ///< of its definition; 0: unknown
  int32_t rank = -1;     ///< -1: unknown
  CallHistory history;
  std::optional<CompilePolicy> policy;  ///< absent: unknown
  bool is_compiled = true;              ///< false: batches of a data loader, for example
  /// Calls in `history` that were counted without their order; they are placed at their first
  /// occurrence.
  uint64_t unordered_calls = 0;
  uint64_t dropped_calls = 0;  ///< calls that the recorder dropped; not in `history`
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_RECORDED_FUNCTION_H_
