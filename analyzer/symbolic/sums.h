// Sums taken apart into terms, and put together again.

#ifndef SHAPEWISE_SYMBOLIC_SUMS_H_
#define SHAPEWISE_SYMBOLIC_SUMS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "llvm/ADT/SmallVector.h"
#include "shapewise/symbolic/expression.h"
#include "storage.h"

namespace shapewise {

/// coefficient * base; a constant has base kNone.
struct ExprTerm {
  int64_t coefficient = 0;
  ExprId base = ExprId::kNone;
};

using ExprTerms = llvm::SmallVector<ExprTerm, 6>;

/// The terms whose sum `id` is: several of a kAdd, else one.
ExprTerms TermsOf(ExprPool& pool, ExprPool::Storage& storage, ExprId id);

ExprId SumOf(ExprPool& pool, const ExprTerms& terms);

/// A sum or product of floats: the operator's call, with its operands in one order.
ExprId CallInOrder(ExprPool& pool, const ExprPool::Storage& storage, std::string_view name,
                   std::span<const ExprId> operands);

/// term / divisor where that is an integer for all integers (but for a divisor of zero).
std::optional<ExprId> DivideExactly(ExprPool& pool, ExprPool::Storage& storage,
                                    const ExprTerm& term, ExprId divisor);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_SUMS_H_
