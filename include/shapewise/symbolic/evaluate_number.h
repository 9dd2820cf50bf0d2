// Expressions over floats: what guards on float inputs, and sizes made of floats, come to.

#ifndef SHAPEWISE_SYMBOLIC_EVALUATE_NUMBER_H_
#define SHAPEWISE_SYMBOLIC_EVALUATE_NUMBER_H_

#include <functional>
#include <optional>

#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// The value of `expression` when its symbols have the values that `value_of` gives, as Python
/// computes it in floats: sums, products, quotients, comparisons (1 and 0), trunc, floor, ceil,
/// min, max, and conversions to float. Absent: anything else, a symbol without value, a division
/// by zero, or an integer of 2^53 or more, which floats need not hold.
std::optional<double> EvaluateNumber(
    const ExprPool& pool, ExprId expression,
    const std::function<std::optional<double>(ExprId symbol)>& value_of);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_EVALUATE_NUMBER_H_
