// The parts of reading the body of a function from its compilations, one file each.

#ifndef SHAPEWISE_DYNAMO_BODY_PARTS_H_
#define SHAPEWISE_DYNAMO_BODY_PARTS_H_

#include <span>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/traced_compile.h"
#include "llvm/ADT/ArrayRef.h"
#include "symbolic/expression.h"

namespace shapewise {

/// What `compiles`, all of one code object and in order, show about its body: everything except
/// ResumeInputs and resumes. At least one.
BodyFrame ReadBodyFrame(const std::vector<const TracedCompile*>& compiles, ExprPool& pool);

/// Compilations of one code object, all in one array in the order of time.
using Compiles = llvm::ArrayRef<const TracedCompile*>;

/// Completes the tensors among `inputs` of a frame: `same_as` if each of its compilations recorded
/// the same argument, `is_new` if each recorded that it is none of them; `differs` if they recorded
/// both. Nothing is known if one of the frames `before` took a path after which the frame was never
/// compiled.
void ReadPassedTensors(Compiles frame, llvm::ArrayRef<Compiles> before, ExprPool& pool,
                       std::vector<ResumeInput>& inputs);

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
