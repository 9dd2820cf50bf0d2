// How a line of user code uses the value that a guard compared.

#ifndef SHAPEWISE_CAUSES_VALUE_USE_H_
#define SHAPEWISE_CAUSES_VALUE_USE_H_

#include <string_view>

#include "causes/cause.h"

namespace shapewise {

/// How `code`, one line of Python from the log, uses the value of `source`, as guards print it
/// ("self.steps", "L['n']"). The value is found by the last name in the source. A use that needs
/// the value as a constant takes precedence over others. kUnknown: no code, or the name is not in
/// it.
ValueUse FindUse(std::string_view code, std::string_view source);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_VALUE_USE_H_
