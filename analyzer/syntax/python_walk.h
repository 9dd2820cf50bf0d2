// Visits the children of a node of Python code, and reads its simplest forms.

#ifndef SHAPEWISE_SYNTAX_PYTHON_WALK_H_
#define SHAPEWISE_SYNTAX_PYTHON_WALK_H_

#include <optional>
#include <string>
#include <string_view>

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

/// Whether `holds` is true for `expr` or an expression in it.
bool AnyExpr(const Expr& expr, llvm::function_ref<bool(const Expr&)> holds);
/// Whether `holds` is true for an expression in the statement or its blocks.
bool AnyExpr(const Stmt& statement, llvm::function_ref<bool(const Expr&)> holds);
/// Whether `holds` is true for a statement of `body` or its blocks, in the order of the text.
bool AnyStmt(llvm::ArrayRef<const Stmt*> body, llvm::function_ref<bool(const Stmt&)> holds);

/// Whether `expr` is a name; false for null.
inline bool IsName(const Expr* expr) {
  return expr != nullptr && expr->kind == PythonExprKind::kName;
}
/// Whether `expr` is this name; false for null.
inline bool IsName(const Expr* expr, std::string_view name) {
  return IsName(expr) && expr->text == name;
}
/// Whether `expr` is a tuple or a list, written out.
inline bool IsDisplay(const Expr& expr) {
  return expr.kind == PythonExprKind::kTuple || expr.kind == PythonExprKind::kList;
}
/// Whether `expr` is an attribute of the name `self`; false for null.
inline bool IsOfSelf(const Expr* expr) {
  return expr != nullptr && expr->kind == PythonExprKind::kAttribute && IsName(expr->left, "self");
}

/// Whether `expr` is a name, or attributes of one.
bool IsDotted(const Expr& expr);
/// "importlib.util.find_spec" for a name or attributes of one; empty for anything else.
std::string DottedName(const Expr& expr);
/// The last part of a dotted name or attribute: "find_spec", "item".
std::string_view LastName(const Expr& expr);
/// The name of a decorator, without the arguments of a call.
inline const Expr& DecoratorName(const Expr& decorator) {
  return decorator.kind == PythonExprKind::kCall ? *decorator.left : decorator;
}
/// Whether one of the decorators is written as this name, or as an attribute with it.
bool HasDecorator(const Stmt& definition, std::string_view name);

/// The contents of a string literal without prefix and escapes; absent: not that simple.
std::optional<std::string_view> PlainText(std::string_view literal);
/// The same for an expression; empty for null and anything else.
std::string_view PlainString(const Expr* expr);

/// The target of `x = value`; null for other statements and several targets.
const Expr* OnlyTarget(const Stmt& statement);

/// The name that an import binds: "a" of `import a.b`, "c" of `from a import b as c`.
std::string_view BoundName(const ImportedName& imported);
/// Whether the statement is an import that binds `name`.
bool ImportsName(const Stmt& statement, std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_PYTHON_WALK_H_
