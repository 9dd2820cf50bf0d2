// Derives a function's body from traces of a probe run.

#ifndef SHAPEWISE_PIPELINE_LOAD_BODY_H_
#define SHAPEWISE_PIPELINE_LOAD_BODY_H_

#include <string>
#include <vector>

#include "dynamo/body.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

class Redactor;

/// Reads `paths` as one run and returns the body of `function`. If the run has no function of that
/// name, or the name is empty, returns that of the only compiled function; if there are several,
/// nothing is known. `redactor` rewrites what is read, and `function` must then be a token; null:
/// unchanged. Error: a path cannot be read, or none contains output of torch.compile.
Expected<BodyFacts> LoadBody(const std::vector<std::string>& paths, FileSource& files,
                             const std::string& function, Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LOAD_BODY_H_
