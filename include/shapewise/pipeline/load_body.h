// What traces of a probe run tell of a function's body.

#ifndef SHAPEWISE_PIPELINE_LOAD_BODY_H_
#define SHAPEWISE_PIPELINE_LOAD_BODY_H_

#include <string>
#include <vector>

#include "shapewise/dynamo/body.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

class Redactor;

/// Reads `paths` as one run and tells the body of `function`, or, if it has none of that name or
/// the name is empty, of the function that it compiled; if there are several, nothing is known.
/// `redactor` rewrites what is read, and `function` is then a token; null: all stays. Error: a path
/// cannot be read, or nothing of torch.compile is recognised in any.
Expected<BodyFacts> LoadBody(const std::vector<std::string>& paths, FileSource& files,
                             const std::string& function, Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LOAD_BODY_H_
