// The inputs of a code object that runs after a graph break, in terms of the first one's inputs.

#ifndef SHAPEWISE_DYNAMO_RESUME_INPUTS_H_
#define SHAPEWISE_DYNAMO_RESUME_INPUTS_H_

#include <span>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/traced_compile.h"

namespace shapewise {

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

#endif  // SHAPEWISE_DYNAMO_RESUME_INPUTS_H_
