// Expands logs in examples of rules, which may be long and repetitive.

#ifndef SHAPEWISE_RULES_EXAMPLE_LOG_H_
#define SHAPEWISE_RULES_EXAMPLE_LOG_H_

#include <string>
#include <string_view>

#include "support/error.h"

namespace shapewise {

/// `text` with the lines between "@repeat 240" and "@end" (on lines of their own) repeated that
/// often; "@n" in them is the index of the repetition, from 0. An expensive guard tree has
/// thousands of lines, which would be unreadable in a rule. Error: a repetition that is unclosed,
/// nested, or not a number from 1 to 100000.
Expected<std::string> ExpandExampleLog(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_EXAMPLE_LOG_H_
