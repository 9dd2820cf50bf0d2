// Places in user code, and what changed there.

#ifndef SHAPEWISE_RESULT_PLACE_H_
#define SHAPEWISE_RESULT_PLACE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "model/guard.h"

namespace shapewise {

/// A place in user code. Empty and 0 where the log does not say.
struct Place {
  std::string function;
  std::string file;
  uint32_t line = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

/// The place before a line of code: "/srv/app/train.py:13: y = model(x)". Empty: there is none.
Place ParsePlace(std::string_view text);

/// What changed.
struct Culprit {
  GuardClass guard_class = GuardClass::kOther;
  std::string source;                            ///< as printed: `x`, `L['x']`, `self.width`
  int32_t dim = -1;                              ///< -1: none
  PythonType value_type = PythonType::kUnknown;  ///< of the source, where all guards agree

  /// Whether the source itself is a constant without a class of its own, such as an enum, or one
  /// whose class is also that of a property of tensors, such as a dtype.
  bool IsOtherConstant() const {
    const bool may_be = guard_class == GuardClass::kOther || guard_class == GuardClass::kDtype ||
                        guard_class == GuardClass::kDevice;
    return may_be && value_type != PythonType::kUnknown && value_type != PythonType::kTensor;
  }

  friend bool operator==(const Culprit&, const Culprit&) = default;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_PLACE_H_
