// Rewrites of reads and stores through masks, whose number of elements depends on data.

#include "check/expr_facts.h"
#include "check/rewrites/rewrites.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

/// `x[m]` or torch.masked_select(x, m).
struct MaskedRead {
  const Expr* base = nullptr;
  const Expr* mask = nullptr;
  bool broadcasts = false;  ///< the mask is broadcast from the right, as in masked_select
};

/// The masked read in `expr`; absent for anything else.
std::optional<MaskedRead> MaskedReadOf(const Expr& expr) {
  if (expr.kind == PythonExprKind::kSubscript && expr.items.size() == 1 &&
      expr.items[0]->kind != PythonExprKind::kSlice &&
      expr.items[0]->kind != PythonExprKind::kTuple)
    return MaskedRead{expr.left, expr.items[0], false};
  if (expr.kind != PythonExprKind::kCall || expr.left->kind != PythonExprKind::kAttribute ||
      expr.left->text != "masked_select")
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

/// Whether mask and base have the same shape, as far as their names show. If not, torch.where
/// cannot take the mask as it is: an index `base[mask]` aligns dims from the left, torch.where from
/// the right.
bool HasSameShape(const FixContext& context, const Expr& mask, const Expr& base) {
  const ExprFacts facts(context);
  const std::string shape = facts.ShapeOf(base);
  return !shape.empty() && shape == facts.ShapeOf(mask);
}

/// Indices of true elements: `m.nonzero()` and torch.where(m).
struct Places {
  const Expr* mask = nullptr;  ///< null: the expression does not return indices
  bool is_tuple = false;       ///< one index per dim, as used for indexing
};

Places PlacesOf(const Expr& expr) {
  if (expr.kind != PythonExprKind::kCall || expr.left->kind != PythonExprKind::kAttribute)
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

bool IsZero(const Expr& expr) { return expr.kind == PythonExprKind::kInteger && expr.text == "0"; }

/// How many expressions around the read turn it into a count; 0: it is not counted.
size_t CountDepth(llvm::ArrayRef<const Expr*> above, const Expr& read) {
  if (above.empty()) return 0;
  const Expr& parent = *above.back();
  if (parent.kind == PythonExprKind::kCall && IsName(parent.left, "len") &&
      parent.arguments.size() == 1 && parent.arguments[0].value == &read)
    return 1;
  if (parent.kind != PythonExprKind::kAttribute || above.size() < 2) return 0;
  const Expr& outer = *above[above.size() - 2];
  if (parent.text == "shape" && outer.kind == PythonExprKind::kSubscript && outer.left == &parent &&
      outer.items.size() == 1 && IsZero(*outer.items[0]))
    return 2;
  if (parent.text == "size" && outer.kind == PythonExprKind::kCall && outer.left == &parent &&
      outer.arguments.size() == 1 && IsZero(*outer.arguments[0].value))
    return 2;
  return 0;
}

/// Whether `index` is the whole index of a store target, by a statement that only reads the
/// elements that it stores to.
bool IsStoredIndex(const Expr& index, llvm::ArrayRef<const Expr*> above, const Stmt& statement) {
  if (above.size() != 1 || statement.kind != StmtKind::kAssign) return false;
  const Expr& subscript = *above.back();
  return subscript.kind == PythonExprKind::kSubscript && subscript.items.size() == 1 &&
         subscript.items[0] == &index && llvm::is_contained(statement.targets, &subscript);
}

bool NameIsStoredIndex(const FixContext& context, std::string_view name) {
  size_t num_stores = 0;
  for (const NameUse& use : context.index().UsesOf(name)) {
    if (use.is_store) {
      ++num_stores;
    } else if (!IsStoredIndex(*use.name, context.index().Above(use), *use.statement)) {
      return false;
    }
  }
  return num_stores == 1 && !ExprFacts(context).IsParameter(name);
}

}  // namespace

// Counts elements without listing their indices:
//
//   m.nonzero().shape[0], m.nonzero().size(0), len(m.nonzero()), len(x[m])   ->
//   torch.count_nonzero(m)
//
// Requires that the count is only used as a number in arithmetic with tensors, because it becomes a
// tensor.
std::optional<Rewritten> CountNonzero(const FixContext& context) {
  const llvm::ArrayRef<const Expr*> path = context.expressions();
  if (path.empty()) return {};
  const Expr& read = *path.back();
  const Expr* mask = nullptr;
  if (const Places places = PlacesOf(read); !places.is_tuple) mask = places.mask;
  if (const std::optional<MaskedRead> masked = MaskedReadOf(read); masked && !masked->broadcasts)
    mask = masked->mask;
  if (mask == nullptr || MayHaveEffect(read)) return {};
  const llvm::ArrayRef<const Expr*> above = path.drop_back();
  const size_t depth = CountDepth(above, read);
  if (depth == 0) return {};
  const Expr& count = *above[above.size() - depth];
  if (!ExprFacts(context).TakesTensor(count, above.drop_back(depth), context.statement()))
    return {};
  return WithImport(
      context, "torch",
      context.ReplaceExpr(count, "torch.count_nonzero(" + std::string(context.Text(*mask)) + ")"));
}

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
    if (!is_same && !IsDotted(*read->base)) return {};
    const std::string operand = context.Operand(*read->mask);
    const std::string count = operand + (is_same ? ".sum()" : ".expand_as(" + base + ").sum()");
    text = "(" + kept + " / " + count + ").sum()";
  }
  return WithImport(context, "torch", context.ReplaceExpr(call, std::move(text)));
}

// Replaces a masked assignment between two tensors with the same mask:
//
//   x[m] = y[m]   ->   x.copy_(torch.where(m, y, x))
//
// x remains the same tensor with its dtype, and the same elements change. Requires x and y to be
// names or attributes, because x is written twice, the same mask on both sides, and that the mask
// has the shape of x. Not safe: if the dtypes of x and y differ, the store raises and the copy
// converts.
std::optional<Rewritten> MaskedStore(const FixContext& context) {
  const Stmt& statement = context.statement();
  const Expr* target = OnlyTarget(statement);
  if (target == nullptr || context.fact().expr != statement.value) return {};
  const std::optional<MaskedRead> from = MaskedReadOf(*statement.value);
  const std::optional<MaskedRead> into = MaskedReadOf(*target);
  if (!from || !into || from->broadcasts || into->broadcasts) return {};
  if (context.Text(*from->mask) != context.Text(*into->mask)) return {};
  if (!IsDotted(*from->base) || !IsDotted(*into->base) || MayHaveEffect(*into->mask)) return {};
  if (!HasSameShape(context, *into->mask, *into->base)) return {};
  const std::string mask(context.Text(*into->mask));
  const std::string base(context.Text(*into->base));
  const std::string other(context.Text(*from->base));
  return WithImport(context, "torch",
                    context.ReplaceStatements(
                        statement, statement,
                        {base + ".copy_(torch.where(" + mask + ", " + other + ", " + base + "))"}));
}

// Replaces a store at the indices of true elements by a store through the mask:
//
//   x[torch.where(m)] = 0            ->   x[m] = 0
//   i = m.nonzero(as_tuple=True)     ->   i = m
//   x[i] = 0
//
// Both write the same elements. Requires that the indices are only used as a whole index, and that
// a name for them is assigned once. Safe only if the mask is computed in place and has the shape of
// the target: any other mask may be smaller, or change before the store.
std::optional<Rewritten> StoreByMask(const FixContext& context) {
  const llvm::ArrayRef<const Expr*> path = context.expressions();
  if (path.empty()) return {};
  const Expr& read = *path.back();
  const Places places = PlacesOf(read);
  if (places.mask == nullptr || !places.is_tuple) return {};
  const Stmt& statement = context.statement();
  const Fact& fact = context.fact();
  const bool is_index = IsStoredIndex(read, path.drop_back(), statement);
  const Expr* name = OnlyTarget(statement);
  const bool is_named =
      statement.value == &read && IsName(name) && NameIsStoredIndex(context, name->text);
  if (!is_index && !is_named) return {};
  const bool is_comparison = places.mask->kind == PythonExprKind::kCompare;
  const bool is_mask = is_comparison || fact.subject.Has(Trait::kMask);
  // If the mask changes before the store, the store would affect other elements.
  if (is_named && !is_mask && !IsName(places.mask)) return {};
  std::string mask(context.Text(*places.mask));
  const bool is_argument = !fact.arguments.empty() && fact.arguments[0].Has(Trait::kMask);
  if (!is_mask && !is_argument) mask = context.Operand(*places.mask) + " != 0";
  std::optional<Rewritten> made = Only(context.ReplaceExpr(read, std::move(mask)));
  if (made) {
    made->is_safe = is_index && is_comparison &&
                    HasSameShape(context, *places.mask, *path[path.size() - 2]->left);
  }
  return made;
}

}  // namespace shapewise
