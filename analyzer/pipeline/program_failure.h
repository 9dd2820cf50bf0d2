// How the program of a run ended, if it failed.

#ifndef SHAPEWISE_PIPELINE_PROGRAM_FAILURE_H_
#define SHAPEWISE_PIPELINE_PROGRAM_FAILURE_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/redact/redactor.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What the inputs `paths` tell of it: "exit status 1" from the folder of `shapewise run`,
/// "TypeError: ..." from a log whose last lines are a Python traceback. Empty: nothing says that it
/// failed. `redactor`: null, or what rewrites the message.
std::string FindFailure(const std::vector<std::string>& paths, FileSource& files,
                        Redactor* redactor);

/// The exception that the last lines of `text` raise: "TypeError: ..."; empty: they raise none.
/// Text behind the exception is accepted only where it is part of its message.
std::string_view LastException(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PROGRAM_FAILURE_H_
