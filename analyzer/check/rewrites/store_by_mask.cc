// Replaces a store at the indices of true elements by a store through the mask:
//
//   x[torch.where(m)] = 0            ->   x[m] = 0
//   i = m.nonzero(as_tuple=True)     ->   i = m
//   x[i] = 0
//
// Both write the same elements. Requires that the indices are only used as a whole index, and that
// a name for them is assigned once. Safe only if the mask is computed in place and has the shape of
// the target: any other mask may be smaller, or change before the store.

#include "check/expr_facts.h"
#include "check/rewrites/masks.h"
#include "check/rewrites/places.h"
#include "check/rewrites/rewrites.h"

namespace shapewise {
namespace {

/// Whether `index` is the whole index of a store target.
bool IsStoredIndex(const Expr& index, llvm::ArrayRef<const Expr*> above, const Stmt& statement) {
  if (above.size() != 1) return false;
  const Expr& subscript = *above.back();
  return subscript.kind == PythonExprKind::kSubscript && subscript.items.size() == 1 &&
         subscript.items[0] == &index &&
         (statement.kind == StmtKind::kAssign || statement.kind == StmtKind::kAugmented) &&
         llvm::is_contained(statement.targets, &subscript);
}

/// Whether the statement only reads the elements that it stores to.
bool IsPlainStore(const Stmt& statement) { return statement.kind == StmtKind::kAssign; }

bool NameIsStoredIndex(const FixContext& context, std::string_view name) {
  size_t num_stores = 0;
  for (const NameUse& use : context.index().UsesOf(name)) {
    if (use.is_store) {
      ++num_stores;
    } else if (!IsStoredIndex(*use.name, context.index().Above(use), *use.statement) ||
               !IsPlainStore(*use.statement)) {
      return false;
    }
  }
  return num_stores == 1 && !ExprFacts(context).IsParameter(name);
}

}  // namespace

std::optional<Rewritten> StoreByMask(const FixContext& context) {
  const llvm::ArrayRef<const Expr*> path = context.expressions();
  if (path.empty()) return {};
  const Expr& read = *path.back();
  const Places places = PlacesOf(read);
  if (places.mask == nullptr || !places.is_tuple) return {};
  const Stmt& statement = context.statement();
  const bool is_index = IsStoredIndex(read, path.drop_back(), statement) && IsPlainStore(statement);
  const bool is_named = statement.kind == StmtKind::kAssign && statement.value == &read &&
                        statement.targets.size() == 1 &&
                        statement.targets[0]->kind == PythonExprKind::kName &&
                        NameIsStoredIndex(context, statement.targets[0]->text);
  if (!is_index && !is_named) return {};
  // If the mask changes before the store, the store would affect other elements.
  if (is_named && !context.fact().subject.Has(Trait::kMask) &&
      places.mask->kind != PythonExprKind::kCompare && places.mask->kind != PythonExprKind::kName)
    return {};
  std::string mask(context.Text(*places.mask));
  const bool is_mask =
      places.mask->kind == PythonExprKind::kCompare || context.fact().subject.Has(Trait::kMask) ||
      (!context.fact().arguments.empty() && context.fact().arguments[0].Has(Trait::kMask));
  if (!is_mask) mask = context.Operand(*places.mask) + " != 0";
  std::optional<CodeEdit> edit = context.ReplaceExpr(read, std::move(mask));
  if (!edit) return {};
  const bool is_safe = is_index && places.mask->kind == PythonExprKind::kCompare &&
                       HasSameShape(context, *places.mask, *path[path.size() - 2]->left);
  return Rewritten{{std::move(*edit)}, is_safe};
}

}  // namespace shapewise
