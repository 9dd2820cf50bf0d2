// Replaces a sum or mean over masked elements, whose number depends on data:
//
//   x[m].sum()    ->   torch.where(m, x, 0).sum()
//   x[m].mean()   ->   (torch.where(m, x, 0) / m.sum()).sum()
//
// Requires that the mask has the shape of x, or that x is computed from what the mask is computed
// from, as in `error = (x - y) ** 2; error[y > 0]`: then an index that does not raise has that
// shape, except where y has fewer dims than x and x is square. Uses where, not a product, because 0
// * nan is nan. The mean divides first, because the sum may exceed the range of a half. Not safe:
// the order of the summation changes, and integers have a mean.

#include "check/expr_facts.h"
#include "check/rewrites/masks.h"
#include "check/rewrites/rewrites.h"

namespace shapewise {

std::optional<Rewritten> MaskedReduce(const FixContext& context) {
  const std::vector<const Expr*>& path = context.expressions();
  if (path.size() < 3) return {};
  const Expr& attribute = *path[path.size() - 2];
  const Expr& call = *path[path.size() - 3];
  if (attribute.kind != PythonExprKind::kAttribute || call.kind != PythonExprKind::kCall ||
      call.left != &attribute || !call.arguments.empty())
    return {};
  const bool is_mean = attribute.text == "mean";
  if (!is_mean && attribute.text != "sum") return {};
  const std::optional<MaskedRead> read = MaskedReadOf(*path.back());
  if (!read || MayHaveEffect(*read->mask) || MayHaveEffect(*read->base)) return {};
  const bool is_same =
      HasSameShape(context, *read->mask, *read->base) ||
      (!read->broadcasts && ExprFacts(context).IsBroadcastFrom(*read->base, *read->mask));
  if (!is_same && !read->broadcasts) return {};
  const std::string mask(context.Text(*read->mask));
  const std::string base(context.Text(*read->base));
  const std::string kept = "torch.where(" + mask + ", " + base + ", 0)";
  std::string text = kept + ".sum()";
  if (is_mean) {
    if (!is_same && !IsSimple(*read->base)) return {};
    const std::string operand = IsPrimary(*read->mask) ? mask : "(" + mask + ")";
    const std::string count = operand + (is_same ? ".sum()" : ".expand_as(" + base + ").sum()");
    text = "(" + kept + " / " + count + ").sum()";
  }
  std::optional<std::vector<CodeEdit>> edits = context.Import("torch");
  std::optional<CodeEdit> edit = context.ReplaceExpr(call, std::move(text));
  if (!edit || !edits) return {};
  edits->push_back(std::move(*edit));
  return Rewritten{std::move(*edits), false};
}

}  // namespace shapewise
