// The functions that PyTorch and sympy print, and their meanings.

#ifndef SHAPEWISE_SYMBOLIC_FUNCTIONS_H_
#define SHAPEWISE_SYMBOLIC_FUNCTIONS_H_

#include <span>
#include <string_view>

#include "shapewise/symbolic/expression.h"
#include "storage.h"

namespace shapewise {

/// Whether a call without operands named `name` is a floating-point number: "0.5", "-inf".
bool IsNumeral(std::string_view name);

/// The kind of number that a call of `name` without its own ExprKind returns.
NumberKind NumberKindOfCall(std::string_view name, const ExprPool::Storage& storage,
                            std::span<const ExprId> operands);

/// `name` applied to `operands`: an expression of its own kind if known, else a kCall. kNone: a
/// known function with the wrong number of operands.
ExprId ApplyFunction(ExprPool& pool, const ExprPool::Storage& storage, std::string_view name,
                     std::span<const ExprId> operands);

/// The function in sympy's srepr whose calls are the cases of a Piecewise.
inline constexpr std::string_view kPairName = "ExprCondPair";

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_FUNCTIONS_H_
