// Visits the children of a node of Python code.

#ifndef SHAPEWISE_SYNTAX_PYTHON_WALK_H_
#define SHAPEWISE_SYNTAX_PYTHON_WALK_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// Calls `visit` for every direct subexpression of `expr`.
void ForEachChild(const Expr& expr, llvm::function_ref<void(const Expr&)> visit);

/// Calls `visit` for every direct expression of `statement`; `is_target`: it is a store target.
void ForEachExpr(const Stmt& statement,
                 llvm::function_ref<void(const Expr&, bool is_target)> visit);

/// Calls `visit` for every direct block of `statement`.
void ForEachBlock(const Stmt& statement,
                  llvm::function_ref<void(llvm::ArrayRef<const Stmt*>)> visit);

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_PYTHON_WALK_H_
