// Constructs quotients, remainders and powers.

#ifndef SHAPEWISE_SYMBOLIC_PRODUCTS_H_
#define SHAPEWISE_SYMBOLIC_PRODUCTS_H_

#include "shapewise/symbolic/expression.h"
#include "storage.h"

namespace shapewise {

/// kFloorDiv, kCeilDiv, kTrueDiv, kMod or kPower of operands that are neither floats nor infinite.
ExprId MakeArithmetic(ExprPool& pool, ExprPool::Storage& storage, ExprKind kind, ExprId left,
                      ExprId right);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_PRODUCTS_H_
