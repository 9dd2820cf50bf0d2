// Properties of the terminal, and the signals that it sends.

#ifndef SHAPEWISE_CLI_TERMINAL_H_
#define SHAPEWISE_CLI_TERMINAL_H_

#include <array>
#include <csignal>
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

/// The signals by which users and systems end a program.
inline constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

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

#endif  // SHAPEWISE_CLI_TERMINAL_H_
