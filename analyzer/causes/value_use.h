// What a line of user code does with the value that a guard compared.

#ifndef SHAPEWISE_CAUSES_VALUE_USE_H_
#define SHAPEWISE_CAUSES_VALUE_USE_H_

#include <string_view>

#include "shapewise/causes/cause.h"

namespace shapewise {

/// What `code`, one line of Python that the log printed, does with the value of `source`, as guards
/// print it ("self.steps", "L['n']"). The value is sought by the last name in the source. Of
/// several uses the one counts that needs the value as a constant. kUnknown: no code, or the name
/// is not in it.
ValueUse FindUse(std::string_view code, std::string_view source);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_VALUE_USE_H_
