// Settings as toml++ can be given them: characters beyond ASCII written in ASCII, and back.
//
// toml++ 3.3 tells blanks from other characters by tables that leave out most of those below U+049A
// and some others: outside of strings they lead to a place that its author took to be unreachable.

#ifndef SHAPEWISE_CLI_ASCII_TOML_H_
#define SHAPEWISE_CLI_ASCII_TOML_H_

#include <optional>
#include <string>
#include <string_view>

namespace shapewise {

/// `toml`, without its byte order mark, with "~C3~" in the place of each byte beyond ASCII, and
/// with '~' written so, too. Absent: it is not UTF-8.
std::optional<std::string> ToAsciiToml(std::string_view toml);

/// What ToAsciiToml made of a text, or a piece of it, as it was.
std::string FromAsciiToml(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_ASCII_TOML_H_
