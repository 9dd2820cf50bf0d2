// What traces of a probe run tell of a function's body.

#ifndef SHAPEWISE_PIPELINE_LOAD_BODY_H_
#define SHAPEWISE_PIPELINE_LOAD_BODY_H_

#include <string>
#include <vector>

#include "shapewise/dynamo/body.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// Reads `paths` as one run and tells the body of the function that it compiled first. Error: a
/// path cannot be read, or nothing of torch.compile is recognised in any.
Expected<BodyFacts> LoadBody(const std::vector<std::string>& paths, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LOAD_BODY_H_
