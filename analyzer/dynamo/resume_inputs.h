// What a code object that runs behind a graph break takes over, in terms of the first one's inputs.

#ifndef SHAPEWISE_DYNAMO_RESUME_INPUTS_H_
#define SHAPEWISE_DYNAMO_RESUME_INPUTS_H_

#include <vector>

#include "dynamo/traced_compile.h"
#include "shapewise/dynamo/body.h"

namespace shapewise {

/// Fills BodyFrame::inputs of `frame`, which was compiled as `compiles`. `before`: the compilation
/// of the code object that hands over, in the same call as the first of `compiles`; `parent`: its
/// body, with its inputs. A size is named by the only expression over the sizes of `before` that
/// has its value; probes with unlike sizes make that certain.
void ReadResumeInputs(const TracedCompile& before, const BodyFrame& parent,
                      const std::vector<const TracedCompile*>& compiles, ExprPool& pool,
                      BodyFrame& frame);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RESUME_INPUTS_H_
