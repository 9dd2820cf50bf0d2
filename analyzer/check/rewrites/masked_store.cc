// Replaces a masked assignment between two tensors with the same mask:
//
//   x[m] = y[m]   ->   x.copy_(torch.where(m, y, x))
//
// x remains the same tensor with its dtype, and the same elements change. Requires x and y to be
// names or attributes, because x is written twice, the same mask on both sides, and that the mask
// has the shape of x. Not safe: if the dtypes of x and y differ, the store raises and the copy
// converts.

#include "check/expr_facts.h"
#include "check/rewrites/masks.h"
#include "check/rewrites/rewrites.h"

namespace shapewise {

std::optional<Rewritten> MaskedStore(const FixContext& context) {
  const Stmt& statement = context.statement();
  if (statement.kind != StmtKind::kAssign || statement.targets.size() != 1 ||
      context.fact().expr != statement.value)
    return {};
  const std::optional<MaskedRead> from = MaskedReadOf(*statement.value);
  const std::optional<MaskedRead> into = MaskedReadOf(*statement.targets[0]);
  if (!from || !into || from->broadcasts || into->broadcasts) return {};
  if (context.Text(*from->mask) != context.Text(*into->mask)) return {};
  if (!IsSimple(*from->base) || !IsSimple(*into->base) || MayHaveEffect(*into->mask)) return {};
  if (!HasSameShape(context, *into->mask, *into->base)) return {};
  std::optional<std::vector<CodeEdit>> edits = context.Import("torch");
  if (!edits) return {};
  const std::string mask(context.Text(*into->mask));
  const std::string base(context.Text(*into->base));
  std::optional<CodeEdit> edit =
      context.ReplaceStatements(statement, statement,
                                {base + ".copy_(torch.where(" + mask + ", " +
                                 std::string(context.Text(*from->base)) + ", " + base + "))"});
  if (!edit) return {};
  edits->push_back(std::move(*edit));
  return Rewritten{std::move(*edits), false};
}

}  // namespace shapewise
