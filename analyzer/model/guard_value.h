// The Python types of values that guards print.

#ifndef SHAPEWISE_MODEL_GUARD_VALUE_H_
#define SHAPEWISE_MODEL_GUARD_VALUE_H_

#include <string_view>

#include "shapewise/model/guard.h"

namespace shapewise {

/// The type of the value whose repr is `text`: an int of "3", an enum of "<Mode.FAST: 1>".
/// kUnknown if it is none of a known form, such as an expression. Text that is cut gives what its
/// beginning shows.
PythonType TypeOfRepr(std::string_view text);

/// The type that a repr of a class names: an int of "<class 'int'>", an enum of "<enum 'Mode'>", an
/// object of "<class 'app.Net'>". kUnknown if `text` begins with no such repr.
PythonType TypeOfClassRepr(std::string_view text);

/// The guard class of a guard that compares a value of `type` for equality.
GuardClass ClassOfValue(PythonType type);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GUARD_VALUE_H_
