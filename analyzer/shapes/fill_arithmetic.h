// Arithmetic on the sets of numbers of a Fill, without its other members.

#ifndef SHAPEWISE_SHAPES_FILL_ARITHMETIC_H_
#define SHAPEWISE_SHAPES_FILL_ARITHMETIC_H_

#include <span>

#include "shapes/fill.h"

namespace shapewise {

/// Next to finite numbers of ordinary magnitude, exp(-1e4) is 0 in every floating-point type.
constexpr double kVeryLowNumber = -1e4;

/// The result of a function. `is_real`, `is_bound`, `has_low` and `lines` are not those of the
/// result.
Fill EvaluateKinds(Pointwise function, std::span<const Fill> operands);

/// `fill`, marked as numbers that the unpadded program also computes with.
Fill AsReal(Fill fill);

bool AllFinite(std::span<const Fill> operands);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_FILL_ARITHMETIC_H_
