#include "check/rewrites/masks.h"

#include "check/expr_facts.h"

namespace shapewise {

std::optional<MaskedRead> MaskedReadOf(const Expr& expr) {
  if (expr.kind == PythonExprKind::kSubscript && expr.items.size() == 1 &&
      expr.items[0] != nullptr && expr.items[0]->kind != PythonExprKind::kSlice &&
      expr.items[0]->kind != PythonExprKind::kTuple)
    return MaskedRead{expr.left, expr.items[0], false};
  if (expr.kind != PythonExprKind::kCall || expr.left == nullptr ||
      expr.left->kind != PythonExprKind::kAttribute || expr.left->text != "masked_select")
    return {};
  for (const CallArgument& argument : expr.arguments)
    if (!argument.keyword.empty() || argument.stars != 0) return {};
  if (DottedName(*expr.left) == "torch.masked_select") {
    if (expr.arguments.size() != 2) return {};
    return MaskedRead{expr.arguments[0].value, expr.arguments[1].value, true};
  }
  if (expr.arguments.size() != 1) return {};
  return MaskedRead{expr.left->left, expr.arguments[0].value, true};
}

bool IsSimple(const Expr& expr) {
  if (expr.kind == PythonExprKind::kName) return true;
  return expr.kind == PythonExprKind::kAttribute && expr.left != nullptr && IsSimple(*expr.left);
}

bool HasSameShape(const FixContext& context, const Expr& mask, const Expr& base) {
  const ExprFacts facts(context);
  const std::string shape = facts.ShapeOf(base);
  return !shape.empty() && shape == facts.ShapeOf(mask);
}

}  // namespace shapewise
