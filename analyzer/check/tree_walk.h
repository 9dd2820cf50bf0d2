// Ways through a tree of Python code: the path to a place, the uses of a name.

#ifndef SHAPEWISE_CHECK_TREE_WALK_H_
#define SHAPEWISE_CHECK_TREE_WALK_H_

#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "syntax/python_ast.h"
#include "syntax/python_walk.h"

namespace shapewise {

/// "importlib.util.find_spec" for a name or attributes of one; empty for anything else.
std::string DottedName(const Expr& expr);

/// Whether `holds` is true for `expr` or an expression in it.
bool AnyExpr(const Expr& expr, llvm::function_ref<bool(const Expr&)> holds);

/// The last part of a dotted name or attribute: "find_spec", "item".
std::string_view LastName(const Expr& expr);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_TREE_WALK_H_
