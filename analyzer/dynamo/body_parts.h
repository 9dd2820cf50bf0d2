// The parts of reading the body of a function from its compilations, one file each.

#ifndef SHAPEWISE_DYNAMO_BODY_PARTS_H_
#define SHAPEWISE_DYNAMO_BODY_PARTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/traced_compile.h"
#include "llvm/ADT/ArrayRef.h"

namespace shapewise {

/// What `compiles`, all of one code object and in order, show about its body: everything except
/// ResumeInputs and resumes. At least one.
BodyFrame ReadBodyFrame(const std::vector<const TracedCompile*>& compiles, ExprPool& pool);

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

/// A code object that runs before a resume function, as it was compiled in the same call.
struct HandingOver {
  const TracedCompile* compile = nullptr;
  const BodyFrame* frame = nullptr;  ///< including its inputs
  /// What probes traced of it: there, sizes that the run's graphs have as constants are symbols.
  std::span<const TracedCompile> probes = {};
};

/// The inputs of a resume function, `frame`, when it was compiled as `compile`. `before`: the
/// possible sources of its inputs, the nearest first. A size is named by the only expression over
/// their sizes that has its value; probes with distinct sizes make that certain. Attributes and
/// tensors of modules belong to no call, and are left out.
std::vector<ResumeInput> ReadResumeInputs(const std::vector<HandingOver>& before,
                                          const TracedCompile& compile, const BodyFrame& frame,
                                          ExprPool& pool);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_BODY_PARTS_H_
