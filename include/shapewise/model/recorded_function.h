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
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_RECORDED_FUNCTION_H_
