// Values into what the schema of an operator asks for, as Python's argument parser does.

#ifndef SHAPEWISE_REPLAY_ARGUMENT_CONVERSION_H_
#define SHAPEWISE_REPLAY_ARGUMENT_CONVERSION_H_

#include <ATen/core/jit_type.h>

#include <cstdint>
#include <optional>

#include "replay/value.h"

namespace shapewise::replay {

/// The type of an argument as its declaration has it: Argument::real_type(), in which dtypes,
/// layouts and memory formats are no integers, and Argument::N() of "int[2]".
struct WantedType {
  c10::TypePtr type;
  std::optional<int32_t> length;
};

/// Sets `converted` to `value` as `wanted`. Returns how far the two are apart, 0 for the same: the
/// overload for which the sum is least is called. Absent: it cannot be converted.
std::optional<int> ConvertArgument(const Value& value, const WantedType& wanted,
                                   c10::IValue& converted);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_ARGUMENT_CONVERSION_H_
