// The inputs of a code object that runs after a graph break, in terms of the first one's inputs.

#ifndef SHAPEWISE_DYNAMO_RESUME_INPUTS_H_
#define SHAPEWISE_DYNAMO_RESUME_INPUTS_H_

#include <vector>

#include "dynamo/traced_compile.h"
#include "shapewise/dynamo/body.h"

namespace shapewise {

/// A code object that runs before a resume function, as it was compiled in the same call.
struct HandingOver {
  const TracedCompile* compile = nullptr;
  const BodyFrame* frame = nullptr;  ///< including its inputs
};

/// Fills BodyFrame::inputs of `frame`, which was compiled as `compiles`. `before`: the possible
/// sources of its inputs, the nearest first. A size is named by the only expression over their
/// sizes that has its value; probes with distinct sizes make that certain.
void ReadResumeInputs(const std::vector<HandingOver>& before,
                      const std::vector<const TracedCompile*>& compiles, ExprPool& pool,
                      BodyFrame& frame);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RESUME_INPUTS_H_
