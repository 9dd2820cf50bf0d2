#include "syntax/python_walk.h"

#include <initializer_list>

#include "llvm/ADT/STLExtras.h"

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

bool AnyExpr(const Expr& expr, llvm::function_ref<bool(const Expr&)> holds) {
  if (holds(expr)) return true;
  bool is_found = false;
  ForEachChild(expr, [&](const Expr& part) { is_found = is_found || AnyExpr(part, holds); });
  return is_found;
}

bool AnyExpr(const Stmt& statement, llvm::function_ref<bool(const Expr&)> holds) {
  return AnyStmt(&statement, [&](const Stmt& inner) {
    bool is_found = false;
    ForEachExpr(inner, [&](const Expr& expr, bool /*is_target*/) {
      is_found = is_found || AnyExpr(expr, holds);
    });
    return is_found;
  });
}

bool AnyStmt(llvm::ArrayRef<const Stmt*> body, llvm::function_ref<bool(const Stmt&)> holds) {
  return llvm::any_of(body, [&](const Stmt* statement) {
    if (holds(*statement)) return true;
    bool is_found = false;
    ForEachBlock(*statement, [&](llvm::ArrayRef<const Stmt*> block) {
      is_found = is_found || AnyStmt(block, holds);
    });
    return is_found;
  });
}

bool IsDotted(const Expr& expr) {
  const Expr* base = &expr;
  while (base->kind == PythonExprKind::kAttribute) base = base->left;
  return IsName(base);
}

std::string DottedName(const Expr& expr) {
  if (IsName(&expr)) return std::string(expr.text);
  if (expr.kind != PythonExprKind::kAttribute) return "";
  std::string left = DottedName(*expr.left);
  return left.empty() ? left : left.append(".").append(expr.text);
}

std::string_view LastName(const Expr& expr) {
  const bool has_name = IsName(&expr) || expr.kind == PythonExprKind::kAttribute;
  return has_name ? expr.text : ArenaText();
}

bool HasDecorator(const Stmt& definition, std::string_view name) {
  return llvm::any_of(definition.decorators,
                      [&](const Expr* decorator) { return decorator->text == name; });
}

std::optional<std::string_view> PlainText(std::string_view literal) {
  if (literal.size() < 2 || (literal.front() != '\'' && literal.front() != '"')) return {};
  const std::string_view text = literal.substr(1, literal.size() - 2);
  const bool is_plain = text.find_first_of("\\\"'") == std::string_view::npos;
  return is_plain && literal.back() == literal.front() ? std::optional(text) : std::nullopt;
}

std::string_view PlainString(const Expr* expr) {
  const bool is_text = expr != nullptr && expr->kind == PythonExprKind::kString;
  return is_text ? PlainText(expr->text).value_or("") : "";
}

const Expr* OnlyTarget(const Stmt& statement) {
  const bool is_one = statement.kind == StmtKind::kAssign && statement.targets.size() == 1;
  return is_one ? statement.targets.front() : nullptr;
}

std::string_view BoundName(const ImportedName& imported) {
  return imported.as.empty() ? imported.name.substr(0, imported.name.find('.')) : imported.as;
}

bool ImportsName(const Stmt& statement, std::string_view name) {
  return llvm::any_of(statement.imports,
                      [&](const ImportedName& imported) { return BoundName(imported) == name; });
}

}  // namespace shapewise
