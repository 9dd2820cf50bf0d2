// Converts values to the types that an operator's schema requires, like Python's argument parser.

#ifndef SHAPEWISE_REPLAY_ARGUMENT_CONVERSION_H_
#define SHAPEWISE_REPLAY_ARGUMENT_CONVERSION_H_

#include <ATen/core/jit_type.h>

#include <cstdint>
#include <optional>

#include "replay/value.h"

namespace shapewise::replay {

/// The declared type of an argument: Argument::real_type(), which distinguishes dtypes, layouts and
/// memory formats from integers, and Argument::N() of "int[2]".
struct WantedType {
  c10::TypePtr type;
  std::optional<int32_t> length;
};

/// Converts `value` to `wanted` and stores it in `converted`. Returns the cost, 0 if the types are
/// equal: the overload with the least total cost is called. Absent: not convertible.
std::optional<int> ConvertArgument(const Value& value, const WantedType& wanted,
                                   c10::IValue& converted);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_ARGUMENT_CONVERSION_H_
