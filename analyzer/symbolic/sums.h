// Splits sums into terms, and combines them.

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

/// The terms of the sum `id`: several for a kAdd, else one.
ExprTerms TermsOf(ExprPool& pool, ExprPool::Storage& storage, ExprId id);

ExprId SumOf(ExprPool& pool, const ExprTerms& terms);

/// A sum or product of floats: a call of the operator, with sorted operands.
ExprId CallInOrder(ExprPool& pool, const ExprPool::Storage& storage, std::string_view name,
                   std::span<const ExprId> operands);

/// term / divisor if that is an integer for all integers (except for a divisor of zero).
std::optional<ExprId> DivideExactly(ExprPool& pool, ExprPool::Storage& storage,
                                    const ExprTerm& term, ExprId divisor);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_SUMS_H_
