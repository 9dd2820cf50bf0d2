// `check --watch`: repeats the check whenever a file changes.

#ifndef SHAPEWISE_CLI_CHECK_WATCH_H_
#define SHAPEWISE_CLI_CHECK_WATCH_H_

#include <functional>

#include "cli/exit_status.h"
#include "pipeline/code_inputs.h"
#include "support/error.h"

namespace shapewise {

/// Calls `check` at once and after every change of a file of `code`, until the user interrupts.
/// Returns its last result; errors are printed, and the next change is awaited.
ExitStatus WatchCode(const CodeSelection& code, const std::function<Expected<ExitStatus>()>& check);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_WATCH_H_
