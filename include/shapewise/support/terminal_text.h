// What terminals and progress bars leave in text: escapes and carriage returns.

#ifndef SHAPEWISE_SUPPORT_TERMINAL_TEXT_H_
#define SHAPEWISE_SUPPORT_TERMINAL_TEXT_H_

#include <string>
#include <string_view>

namespace shapewise {

/// `text` without ANSI escape sequences (CSI, OSC and two-byte ones; a cut sequence at the end goes
/// too). Returns `text` itself when it has no ESC byte; otherwise a view of `storage`, which is
/// overwritten.
std::string_view StripEscapes(std::string_view text, std::string& storage);

/// `text` with everything that could drive a terminal made harmless: control bytes but tab become
/// "?", bytes that are not UTF-8 become U+FFFD. For text that is shown to a person.
std::string MakePrintable(std::string_view text);

/// `text` of several lines, each of them made printable.
std::string MakeLinesPrintable(std::string_view text);

/// `text` with "..." in place of its middle where it is longer than `max_bytes`, which is 5 or more;
/// no character is cut.
std::string ClipMiddle(std::string_view text, size_t max_bytes);

/// Whether `text` is valid UTF-8.
bool IsUtf8(std::string_view text);

/// `text` with each byte that is no UTF-8 replaced by U+FFFD. For JSON.
std::string ToUtf8(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_TERMINAL_TEXT_H_
