// Evaluates expressions over floats: guards on float inputs, and sizes computed from floats.

#ifndef SHAPEWISE_SYMBOLIC_EVALUATE_NUMBER_H_
#define SHAPEWISE_SYMBOLIC_EVALUATE_NUMBER_H_

#include <functional>
#include <optional>

#include "symbolic/expression.h"

namespace shapewise {

/// The value of `expression` with the symbol values of `value_of`, computed in floats as in Python:
/// sums, products, quotients, comparisons (1 and 0), trunc, floor, ceil, min, max, and conversions
/// to float. Absent: anything else, a symbol without a value, a division by zero, or an integer of
/// at least 2^53, which a float may not represent.
std::optional<double> EvaluateNumber(
    const ExprPool& pool, ExprId expression,
    const std::function<std::optional<double>(ExprId symbol)>& value_of);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_EVALUATE_NUMBER_H_
