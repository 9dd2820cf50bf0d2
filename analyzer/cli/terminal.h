// What the program knows of the terminal it may be running in.

#ifndef SHAPEWISE_CLI_TERMINAL_H_
#define SHAPEWISE_CLI_TERMINAL_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// Whether a report on standard output (or in a file) is to have colours: `choice` is "always",
/// "never", or "auto", which means on a terminal that is not "dumb", unless NO_COLOR is set.
bool WantsColor(std::string_view choice, bool to_file);

/// Columns for a report: those of the terminal within reason; 100 where there is none.
uint32_t ReportWidth(bool to_file);

/// Whether drawings have to do with ASCII: on a terminal whose locale (LC_ALL, LC_CTYPE, LANG) is
/// not UTF-8. Files and pipes get the same bytes wherever they are written.
bool WantsAscii(bool to_file);

/// Whether the result goes to a terminal. What else keeps every byte, such as code and patches, is
/// made printable there.
bool ResultIsSeen(bool to_file);

/// Whether standard error is a terminal, so that a progress line makes sense.
bool ErrorsAreSeen();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_TERMINAL_H_
