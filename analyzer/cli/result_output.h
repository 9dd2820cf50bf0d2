// Where results go: standard output, or a file that is there whole or not at all.

#ifndef SHAPEWISE_CLI_RESULT_OUTPUT_H_
#define SHAPEWISE_CLI_RESULT_OUTPUT_H_

#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Writes what `write` prints to the file `path`, or to standard output if that is empty or "-". A
/// file is written under another name and then renamed; a device or pipe is written to as it is.
/// Error: not everything could be written; then no file was changed.
Error WriteResult(const std::string& path, llvm::function_ref<void(llvm::raw_ostream&)> write);

/// Says on stderr what went wrong, with what could drive a terminal made harmless: paths and words
/// of others may stand in it. A reader of our output that went away is told nothing: it knows.
void ReportTrouble(Error error);

/// Says on stderr what could not be read.
void ReportUnread(const std::vector<std::string>& messages);

/// Prints notes about the inputs on stderr.
void ReportNotes(const std::vector<std::string>& notes);

/// kTrouble, after saying so, if there was an error; else `status`.
ExitStatus FinishResult(Error error, ExitStatus status = ExitStatus::kClean);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_RESULT_OUTPUT_H_
