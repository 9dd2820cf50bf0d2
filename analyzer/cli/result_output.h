// Writes results to standard output, or atomically to a file, and messages to standard error;
// and what of it is a terminal.

#ifndef SHAPEWISE_CLI_RESULT_OUTPUT_H_
#define SHAPEWISE_CLI_RESULT_OUTPUT_H_

#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/command_parts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "model/session.h"
#include "pipeline/load_run.h"
#include "report/report.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// Stable for scripts: values never change.
enum class ExitStatus : int {
  kClean = 0,     ///< success; nothing found at or above --fail-on
  kFindings = 1,  ///< success; something found
  kTrouble = 2,   ///< failure: usage error, unreadable input, output error
};

/// Writes the output of `write` to the file `path`, or to standard output if it is empty or "-". A
/// file is written under another name and then renamed; devices and pipes are written directly.
/// Error: not everything could be written; then no file was changed.
Error WriteResult(const std::string& path, llvm::function_ref<void(llvm::raw_ostream&)> write);

/// Like WriteResult(), for code and patches, which keep every byte: on a terminal only, control
/// characters are removed.
Error WriteCode(const std::string& path, llvm::function_ref<void(llvm::raw_ostream&)> write);

/// Whether --output names a file.
bool GoesToFile(const std::string& output);

/// Sets the options that depend on the program and on where the result goes. `color`: --color.
void PrepareReport(const std::string& output, const std::string& color, ReportOptions& report);

/// Prints an error to stderr, with control characters removed, because it may contain foreign paths
/// and words. Errors caused by a closed output pipe are not printed.
void ReportTrouble(Error error);

/// Reports unreadable inputs on stderr.
void ReportUnread(const std::vector<std::string>& messages);

/// Prints notes about the inputs on stderr.
void ReportNotes(const std::vector<std::string>& notes);

/// `status`, unless there is an error.
inline Expected<ExitStatus> FinishResult(Error error, ExitStatus status = ExitStatus::kClean) {
  if (error) return error;
  return status;
}

/// Prints the error, if any, and returns kTrouble; else returns the status.
ExitStatus StatusOf(Expected<ExitStatus> status);

/// Prints each message with its severity: "shapewise: warning: run.log: ...".
void PrintMessages(const Messages& messages);

/// Prints what FindUnrecognised finds, and returns its answer.
bool CheckRecognised(const Session& session, EmptyInputs empty_inputs);

/// What files of call records contain.
inline constexpr const char* kExpectedCalls = "calls, one per line: JSON objects with inputs";

/// Prints what FindDamage finds, and returns its answer.
bool ReportDamage(const std::vector<RecordFile>& files, const std::string& expected);

/// Whether to use colors for a report on standard output (or in a file): `choice` is "always",
/// "never", or "auto", which means a terminal that is not "dumb", unless NO_COLOR is set.
bool WantsColor(std::string_view choice, bool to_file);

/// Width of a report in columns: that of the terminal within limits; 100 without a terminal.
uint32_t ReportWidth(bool to_file);

/// Whether the result goes to a terminal. Output that normally keeps every byte, such as code and
/// patches, is made printable there.
bool ResultIsSeen(bool to_file);

/// The files of the disk, with a progress line if stderr is a terminal.
std::unique_ptr<FileSource> NewWatchedFileSource();

/// Whether standard error is a terminal, so that progress lines are useful.
bool ErrorsAreSeen();

/// While one exists, the first SIGINT or SIGTERM is only recorded; the second one ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// Whether a signal was recorded, by this one or an earlier one.
  bool is_interrupted() const;

 private:
  struct sigaction before_int_{};
  struct sigaction before_term_{};
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_RESULT_OUTPUT_H_
