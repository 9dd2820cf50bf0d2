// Rules of which those tell who read files, not who follows values ("reader": true).

#ifndef SHAPEWISE_CHECK_READER_RULES_H_
#define SHAPEWISE_CHECK_READER_RULES_H_

#include <string>
#include <string_view>

#include "shapewise/rules/code_rule.h"

namespace shapewise {

/// The code under which code is told of that could not be read.
inline constexpr std::string_view kUnreadableCode = "SWP000";
/// The code under which code is reported that was not followed to its end.
inline constexpr std::string_view kNotFollowedCode = "SWP901";
/// The code of a comment that holds nothing back.
inline constexpr std::string_view kUnusedIgnoreCode = "SWP900";

/// The rule of the program with this code, one of those above.
const CodeRule& ReaderRule(std::string_view code);

/// The rule's message, with `found` in the place of {found}.
std::string ReaderMessage(const CodeRule& rule, std::string_view found);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_READER_RULES_H_
