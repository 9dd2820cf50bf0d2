// Counts elements without listing their indices:
//
//   m.nonzero().shape[0], m.nonzero().size(0), len(m.nonzero()), len(x[m])   ->
//   torch.count_nonzero(m)
//
// Requires that the count is only used as a number in arithmetic with tensors, because it becomes a
// tensor.

#include "check/expr_facts.h"
#include "check/rewrites/masks.h"
#include "check/rewrites/places.h"
#include "check/rewrites/rewrites.h"

namespace shapewise {
namespace {

bool IsZero(const Expr* expr) {
  return expr != nullptr && expr->kind == PythonExprKind::kInteger && expr->text == "0";
}

/// How many expressions around the read turn it into a count; 0: it is not counted.
size_t CountDepth(llvm::ArrayRef<const Expr*> above, const Expr& read) {
  if (above.empty()) return 0;
  const Expr& parent = *above.back();
  if (parent.kind == PythonExprKind::kCall && parent.left != nullptr &&
      parent.left->kind == PythonExprKind::kName && parent.left->text == "len" &&
      parent.arguments.size() == 1 && parent.arguments[0].value == &read)
    return 1;
  if (parent.kind != PythonExprKind::kAttribute || above.size() < 2) return 0;
  const Expr& outer = *above[above.size() - 2];
  if (parent.text == "shape" && outer.kind == PythonExprKind::kSubscript && outer.left == &parent &&
      outer.items.size() == 1 && IsZero(outer.items[0]))
    return 2;
  if (parent.text == "size" && outer.kind == PythonExprKind::kCall && outer.left == &parent &&
      outer.arguments.size() == 1 && IsZero(outer.arguments[0].value))
    return 2;
  return 0;
}

}  // namespace

std::optional<Rewritten> CountNonzero(const FixContext& context) {
  const llvm::ArrayRef<const Expr*> path = context.expressions();
  if (path.empty()) return {};
  const Expr& read = *path.back();
  const Expr* mask = nullptr;
  if (const Places places = PlacesOf(read); places.mask != nullptr && !places.is_tuple)
    mask = places.mask;
  if (const std::optional<MaskedRead> masked = MaskedReadOf(read); masked && !masked->broadcasts)
    mask = masked->mask;
  if (mask == nullptr || MayHaveEffect(read)) return {};
  const llvm::ArrayRef<const Expr*> above = path.drop_back();
  const size_t depth = CountDepth(above, read);
  if (depth == 0) return {};
  const Expr& count = *above[above.size() - depth];
  if (!ExprFacts(context).TakesTensor(count, above.drop_back(depth), context.statement()))
    return {};
  std::optional<std::vector<CodeEdit>> edits = context.Import("torch");
  std::optional<CodeEdit> edit =
      context.ReplaceExpr(count, "torch.count_nonzero(" + std::string(context.Text(*mask)) + ")");
  if (!edit || !edits) return {};
  edits->push_back(std::move(*edit));
  return Rewritten{std::move(*edits), false};
}

}  // namespace shapewise
