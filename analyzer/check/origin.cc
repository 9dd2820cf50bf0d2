#include "check/origin.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace shapewise {
namespace {

// How many assignments lie between a value and what it is made of. More is rarely one thought.
constexpr int kMaxAssignments = 4;
constexpr std::string_view kMatrixProduct = "@";

/// Whether `holds` of `expr` or of an expression in it.
bool Contains(const Expr* expr, llvm::function_ref<bool(const Expr&)> holds) {
  if (expr == nullptr) return false;
  if (holds(*expr)) return true;
  const auto in = [&](const Expr* part) { return Contains(part, holds); };
  if (in(expr->left) || in(expr->right) || in(expr->third) || llvm::any_of(expr->items, in)) {
    return true;
  }
  return llvm::any_of(expr->arguments, [&](const CallArgument& one) { return in(one.value); }) ||
         llvm::any_of(expr->clauses,
                      [&](const ComprehensionClause& clause) { return in(clause.iterable); });
}

/// The value that `name` was last given before `place`, among `body` and what stands in it; null:
/// none.
const Expr* LastAssigned(llvm::ArrayRef<const Stmt*> body, std::string_view name, uint32_t place) {
  const Expr* last = nullptr;
  for (const Stmt* stmt : body) {
    if (stmt->span.begin >= place) break;
    const bool gives = stmt->kind == StmtKind::kAssign || stmt->kind == StmtKind::kAugmented ||
                       stmt->kind == StmtKind::kAnnotated;
    const bool is_before = stmt->value != nullptr && stmt->value->span.end <= place;
    if (gives && is_before && llvm::any_of(stmt->targets, [&](const Expr* target) {
          return target->kind == PythonExprKind::kName && target->text == name;
        })) {
      last = stmt->value;
    }
    for (const llvm::ArrayRef<const Stmt*> inner : {stmt->body, stmt->orelse, stmt->finally}) {
      if (const Expr* found = LastAssigned(inner, name, place)) last = found;
    }
    for (const Branch& branch : stmt->handlers) {
      if (const Expr* found = LastAssigned(branch.body, name, place)) last = found;
    }
  }
  return last;
}

bool ComesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words,
               int assignments_left) {
  return Contains(&expr, [&](const Expr& part) {
    if (part.kind == PythonExprKind::kBinary) {
      return part.text == kMatrixProduct && llvm::is_contained(words, kMatrixProduct);
    }
    if (part.kind == PythonExprKind::kCall && part.left != nullptr) {
      return llvm::is_contained(words, part.left->text);
    }
    if (part.kind != PythonExprKind::kName || assignments_left == 0) return false;
    const Expr* value = LastAssigned(function.body, part.text, part.span.begin);
    return value != nullptr && ComesFrom(function, *value, words, assignments_left - 1);
  });
}

/// Whether both are the same name, or the same attribute of the same thing.
bool IsSameChain(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.text != b.text) return false;
  if (a.kind == PythonExprKind::kName) return true;
  return a.kind == PythonExprKind::kAttribute && a.left != nullptr && b.left != nullptr &&
         IsSameChain(*a.left, *b.left);
}

}  // namespace

bool ComesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words) {
  return ComesFrom(function, expr, words, kMaxAssignments);
}

bool IsMadeOfItself(const Stmt& store, const Expr& target) {
  if (store.kind == StmtKind::kAugmented) return true;
  return Contains(store.value, [&](const Expr& part) { return IsSameChain(part, target); });
}

}  // namespace shapewise
