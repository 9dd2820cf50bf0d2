// Derives the questions of a body from the compilations of a code object.

#ifndef SHAPEWISE_DYNAMO_BODY_FRAME_H_
#define SHAPEWISE_DYNAMO_BODY_FRAME_H_

#include <vector>

#include "dynamo/body.h"
#include "dynamo/traced_compile.h"

namespace shapewise {

/// What `compiles`, all of one code object and in order, show about its body: everything except
/// ResumeInputs and resumes. At least one.
BodyFrame ReadBodyFrame(const std::vector<const TracedCompile*>& compiles, ExprPool& pool);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_BODY_FRAME_H_
