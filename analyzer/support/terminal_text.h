// Handles escape sequences and carriage returns that terminals and progress bars leave in text.

#ifndef SHAPEWISE_SUPPORT_TERMINAL_TEXT_H_
#define SHAPEWISE_SUPPORT_TERMINAL_TEXT_H_

#include <string>
#include <string_view>

namespace shapewise {

/// `text` without ANSI escape sequences (CSI, OSC and two-byte ones, and a truncated one at the
/// end). Returns `text` itself if it has no ESC byte; otherwise a view of `storage`, which is
/// overwritten.
std::string_view StripEscapes(std::string_view text, std::string& storage);

/// `text` with control bytes except tab replaced by "?", and bytes that are not UTF-8 by U+FFFD.
/// For text that is shown to people.
std::string MakePrintable(std::string_view text);

/// `text` of several lines, each made printable.
std::string MakeLinesPrintable(std::string_view text);

/// `text` with "..." in its middle if it is longer than `max_bytes` (at least 5); characters are
/// never split.
std::string ClipMiddle(std::string_view text, size_t max_bytes);

/// Whether `text` is valid UTF-8.
bool IsUtf8(std::string_view text);

/// `text` with each invalid UTF-8 byte replaced by U+FFFD. For JSON.
std::string ToUtf8(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_TERMINAL_TEXT_H_
