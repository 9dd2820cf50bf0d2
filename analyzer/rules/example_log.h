// The logs of a rule's examples, some of which are long and repeat themselves.

#ifndef SHAPEWISE_RULES_EXAMPLE_LOG_H_
#define SHAPEWISE_RULES_EXAMPLE_LOG_H_

#include <string>
#include <string_view>

#include "shapewise/support/error.h"

namespace shapewise {

/// `text` with what stands between "@repeat 240" and "@end", lines of their own, as often as that;
/// in it "@n" is the number of the repetition, from 0. A guard tree that costs something has
/// thousands of lines, which nobody would read in a rule. Error: a repetition that is not closed,
/// is in another one, or is no number from 1 to 100000.
Expected<std::string> ExpandExampleLog(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_EXAMPLE_LOG_H_
