// Which tensors a frame after a graph break takes: tensors of the first frame, or new ones.

#ifndef SHAPEWISE_DYNAMO_PASSED_TENSORS_H_
#define SHAPEWISE_DYNAMO_PASSED_TENSORS_H_

#include <cstdint>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/traced_compile.h"
#include "llvm/ADT/ArrayRef.h"

namespace shapewise {

/// The compilations of a frame, of the frame that hands over to it, and of the first one.
struct PassedTensors {
  llvm::ArrayRef<const TracedCompile*> first;
  llvm::ArrayRef<const TracedCompile*> before;
  llvm::ArrayRef<const TracedCompile*> frame;
  /// The line in the code of `before`, whose variables the frame has; 0: a callee, or unknown.
  uint32_t break_line = 0;
};

/// Completes the tensors of `inputs`, whose sizes were read: `is_new`, `is_not`, and `same_as` of
/// an argument that keeps its name. A graph names what it returns after the variable that first
/// held it, so a variable that no graph returned holds an older tensor.
void TracePassedTensors(const PassedTensors& passed, std::vector<ResumeInput>& inputs,
                        ExprPool& pool);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_PASSED_TENSORS_H_
