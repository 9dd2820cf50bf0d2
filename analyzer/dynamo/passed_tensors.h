// Which tensors a frame after a graph break takes: arguments of the first frame, or others.

#ifndef SHAPEWISE_DYNAMO_PASSED_TENSORS_H_
#define SHAPEWISE_DYNAMO_PASSED_TENSORS_H_

#include <vector>

#include "dynamo/body.h"
#include "dynamo/traced_compile.h"
#include "llvm/ADT/ArrayRef.h"
#include "symbolic/expression.h"

namespace shapewise {

/// Compilations of one code object, all in one array in the order of time.
using Compiles = llvm::ArrayRef<const TracedCompile*>;

/// Completes the tensors among `inputs` of a frame: `same_as` if each of its compilations recorded
/// the same argument, `is_new` if each recorded that it is none of them; `differs` if they recorded
/// both. Nothing is known if one of the frames `before` took a path after which the frame was never
/// compiled.
void ReadPassedTensors(Compiles frame, llvm::ArrayRef<Compiles> before, ExprPool& pool,
                       std::vector<ResumeInput>& inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_PASSED_TENSORS_H_
