#include "shapewise/symbolic/expression.h"

namespace shapewise {
struct ExprPool::Storage {};
ExprPool::ExprPool() = default;
ExprPool::~ExprPool() = default;
}  // namespace shapewise
