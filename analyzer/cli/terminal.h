// Detects properties of the terminal.

#ifndef SHAPEWISE_CLI_TERMINAL_H_
#define SHAPEWISE_CLI_TERMINAL_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// Whether to use colors for a report on standard output (or in a file): `choice` is "always",
/// "never", or "auto", which means a terminal that is not "dumb", unless NO_COLOR is set.
bool WantsColor(std::string_view choice, bool to_file);

/// Width of a report in columns: that of the terminal within limits; 100 without a terminal.
uint32_t ReportWidth(bool to_file);

/// Whether drawings are limited to ASCII: on a terminal whose locale (LC_ALL, LC_CTYPE, LANG) is
/// not UTF-8. Files and pipes always receive the same bytes.
bool WantsAscii(bool to_file);

/// Whether the result goes to a terminal. Output that normally keeps every byte, such as code and
/// patches, is made printable there.
bool ResultIsSeen(bool to_file);

/// Whether standard error is a terminal, so that progress lines are useful.
bool ErrorsAreSeen();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_TERMINAL_H_
