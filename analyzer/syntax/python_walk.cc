#include "syntax/python_walk.h"

#include <initializer_list>

namespace shapewise {
namespace {

void VisitParameters(llvm::ArrayRef<Parameter> parameters,
                     llvm::function_ref<void(const Expr&)> visit) {
  for (const Parameter& parameter : parameters) {
    if (parameter.annotation != nullptr) visit(*parameter.annotation);
    if (parameter.default_value != nullptr) visit(*parameter.default_value);
  }
}

}  // namespace

void ForEachChild(const Expr& expr, llvm::function_ref<void(const Expr&)> visit) {
  for (const Expr* child : {expr.left, expr.right, expr.third})
    if (child != nullptr) visit(*child);
  for (const Expr* child : expr.items)
    if (child != nullptr) visit(*child);
  for (const CallArgument& argument : expr.arguments)
    if (argument.value != nullptr) visit(*argument.value);
  VisitParameters(expr.parameters, visit);
  for (const ComprehensionClause& clause : expr.clauses) {
    if (clause.target != nullptr) visit(*clause.target);
    if (clause.iterable != nullptr) visit(*clause.iterable);
    for (const Expr* condition : clause.conditions)
      if (condition != nullptr) visit(*condition);
  }
}

void ForEachExpr(const Stmt& statement,
                 llvm::function_ref<void(const Expr&, bool is_target)> visit) {
  for (const Expr* target : statement.targets)
    if (target != nullptr) visit(*target, true);
  for (const WithItem& item : statement.with_items) {
    if (item.context != nullptr) visit(*item.context, false);
    if (item.target != nullptr) visit(*item.target, true);
  }
  const std::initializer_list<const Expr*> parts = {
      statement.value, statement.annotation, statement.message, statement.cause, statement.returns};
  for (const Expr* child : parts)
    if (child != nullptr) visit(*child, false);
  for (const Expr* decorator : statement.decorators) visit(*decorator, false);
  VisitParameters(statement.parameters, [&](const Expr& expr) { visit(expr, false); });
  for (const CallArgument& argument : statement.arguments)
    if (argument.value != nullptr) visit(*argument.value, false);
  for (const Branch& branch : statement.handlers)
    if (branch.test != nullptr) visit(*branch.test, false);
}

void ForEachBlock(const Stmt& statement,
                  llvm::function_ref<void(llvm::ArrayRef<const Stmt*>)> visit) {
  if (!statement.body.empty()) visit(statement.body);
  for (const Branch& branch : statement.handlers)
    if (!branch.body.empty()) visit(branch.body);
  if (!statement.orelse.empty()) visit(statement.orelse);
  if (!statement.finally.empty()) visit(statement.finally);
}

}  // namespace shapewise
