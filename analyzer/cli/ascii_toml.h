// Converts settings to ASCII for toml++, and back.
//
// toml++ 3.3 distinguishes blanks from other characters by tables that miss most characters below
// U+049A and some others: outside of strings, they reach code that its author considered
// unreachable.

#ifndef SHAPEWISE_CLI_ASCII_TOML_H_
#define SHAPEWISE_CLI_ASCII_TOML_H_

#include <optional>
#include <string>
#include <string_view>

namespace shapewise {

/// `toml` without byte order mark, with "~C3~" for each non-ASCII byte; '~' is encoded in the same
/// way. Absent: not UTF-8.
std::optional<std::string> ToAsciiToml(std::string_view toml);

/// Reverses ToAsciiToml for a text or part of one.
std::string FromAsciiToml(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_ASCII_TOML_H_
