// Rules that the file readers report themselves, without value flow ("reader": true).

#ifndef SHAPEWISE_CHECK_READER_RULES_H_
#define SHAPEWISE_CHECK_READER_RULES_H_

#include <string>
#include <string_view>

#include "rules/code_rule.h"

namespace shapewise {

/// The code for a file that could not be read.
inline constexpr std::string_view kUnreadableCode = "SWP000";
/// The code for code whose analysis was not finished.
inline constexpr std::string_view kNotFollowedCode = "SWP901";
/// The code of a comment that suppresses nothing.
inline constexpr std::string_view kUnusedIgnoreCode = "SWP900";

/// The built-in rule with this code, which is one of those above.
const CodeRule& ReaderRule(std::string_view code);

/// The rule's message, with `found` in place of {found}.
std::string ReaderMessage(const CodeRule& rule, std::string_view found);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_READER_RULES_H_
