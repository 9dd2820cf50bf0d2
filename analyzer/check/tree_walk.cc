#include "check/tree_walk.h"

#include <string>

namespace shapewise {

std::string DottedName(const Expr& expr) {
  if (expr.kind == PythonExprKind::kName) return std::string(expr.text);
  if (expr.kind != PythonExprKind::kAttribute || expr.left == nullptr) return "";
  std::string left = DottedName(*expr.left);
  if (left.empty()) return "";
  left += '.';
  left += expr.text;
  return left;
}

bool AnyExpr(const Expr& expr, llvm::function_ref<bool(const Expr&)> holds) {
  if (holds(expr)) return true;
  bool is_found = false;
  ForEachChild(expr, [&](const Expr& part) { is_found = is_found || AnyExpr(part, holds); });
  return is_found;
}

std::string_view LastName(const Expr& expr) {
  const bool has_name =
      expr.kind == PythonExprKind::kName || expr.kind == PythonExprKind::kAttribute;
  return has_name ? expr.text : ArenaText();
}

}  // namespace shapewise
