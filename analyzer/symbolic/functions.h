// The functions that PyTorch and sympy print, and what each means.

#ifndef SHAPEWISE_SYMBOLIC_FUNCTIONS_H_
#define SHAPEWISE_SYMBOLIC_FUNCTIONS_H_

#include <span>
#include <string_view>

#include "shapewise/symbolic/expression.h"
#include "storage.h"

namespace shapewise {

/// Whether a call without operands that bears `name` is a floating-point number: "0.5", "-inf".
bool IsNumeral(std::string_view name);

/// What kind of number the call of `name`, which has no ExprKind of its own, gives.
NumberKind NumberKindOfCall(std::string_view name, const ExprPool::Storage& storage,
                            std::span<const ExprId> operands);

/// `name` applied to `operands`: an expression of its own kind if it is known, else a kCall.
/// kNone: a known function with the wrong number of operands.
ExprId ApplyFunction(ExprPool& pool, const ExprPool::Storage& storage, std::string_view name,
                     std::span<const ExprId> operands);

/// The function whose calls are the cases of a Piecewise, as sympy's srepr names it.
inline constexpr std::string_view kPairName = "ExprCondPair";

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_FUNCTIONS_H_
