// Types of graph breaks that more than one engine knows.

#ifndef SHAPEWISE_MODEL_BREAK_TYPES_H_
#define SHAPEWISE_MODEL_BREAK_TYPES_H_

#include <string_view>

namespace shapewise {

/// The type of the break at a call of a function that Dynamo does not trace.
inline constexpr std::string_view kMarkedAsSkipped = "Attempted to call function marked as skipped";

/// The type of the break at a tensor that is read as a number, as the warning about it says.
inline constexpr std::string_view kTensorItem = "Tensor.item()";

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_BREAK_TYPES_H_
