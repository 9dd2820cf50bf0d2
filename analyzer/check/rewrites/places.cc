#include "check/rewrites/places.h"

#include "check/tree_walk.h"

namespace shapewise {

Places PlacesOf(const Expr& expr) {
  if (expr.kind != PythonExprKind::kCall || expr.left == nullptr ||
      expr.left->kind != PythonExprKind::kAttribute)
    return {};
  Places places;
  size_t num_positional = 0;
  for (const CallArgument& argument : expr.arguments) {
    if (argument.stars != 0) return {};
    if (argument.keyword.empty()) {
      ++num_positional;
      places.mask = argument.value;
    } else if (argument.keyword == "as_tuple") {
      if (argument.value->kind != PythonExprKind::kTrue &&
          argument.value->kind != PythonExprKind::kFalse)
        return {};
      places.is_tuple = argument.value->kind == PythonExprKind::kTrue;
    } else {
      return {};
    }
  }
  const std::string name = DottedName(*expr.left);
  if (name == "torch.where" && num_positional == 1 && expr.arguments.size() == 1) {
    places.is_tuple = true;
    return places;
  }
  if (name == "torch.nonzero" && num_positional == 1) return places;
  if (expr.left->text == "nonzero" && num_positional == 0 && name != "torch.nonzero") {
    places.mask = expr.left->left;
    return places;
  }
  return {};
}

}  // namespace shapewise
