// How the program of a run ended, if it failed.

#ifndef SHAPEWISE_PIPELINE_PROGRAM_FAILURE_H_
#define SHAPEWISE_PIPELINE_PROGRAM_FAILURE_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/ingest/input_ends.h"
#include "shapewise/redact/redactor.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// How the program failed, according to the inputs `paths`: "exit status 1" from the folder of
/// `shapewise run`, "TypeError: ..." from a log that ends with a Python traceback. Empty: no sign
/// of a failure. `ends`: of the inputs, as they were read. `redactor` (may be null) rewrites the
/// message.
std::string FindFailure(const std::vector<std::string>& paths, FileSource& files,
                        const InputEnds& ends, Redactor* redactor);

/// The exception at the end of `text`: "TypeError: ..."; empty if it does not end with one. Text
/// after the exception is accepted only if it is part of its message.
std::string_view LastException(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PROGRAM_FAILURE_H_
