#include "check/origin.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace shapewise {
namespace {

// How many assignments lie between a value and what it is made of. More is rarely one thought.
constexpr int kMaxAssignments = 4;
// Statements and expressions that one question looks at. Where more would be needed the answer is
// no: each name may be made of many, and those of many others.
constexpr int kMaxVisits = 20000;
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
const Expr* LastAssigned(llvm::ArrayRef<const Stmt*> body, std::string_view name, uint32_t place,
                         int& visits_left) {
  const Expr* last = nullptr;
  for (const Stmt* stmt : body) {
    if (stmt->span.begin >= place) break;
    if (--visits_left < 0) return nullptr;
    const bool gives = stmt->kind == StmtKind::kAssign || stmt->kind == StmtKind::kAugmented ||
                       stmt->kind == StmtKind::kAnnotated;
    const bool is_before = stmt->value != nullptr && stmt->value->span.end <= place;
    if (gives && is_before && llvm::any_of(stmt->targets, [&](const Expr* target) {
          return target->kind == PythonExprKind::kName && target->text == name;
        })) {
      last = stmt->value;
    }
    for (const llvm::ArrayRef<const Stmt*> inner : {stmt->body, stmt->orelse, stmt->finally}) {
      if (const Expr* found = LastAssigned(inner, name, place, visits_left)) last = found;
    }
    for (const Branch& branch : stmt->handlers) {
      if (const Expr* found = LastAssigned(branch.body, name, place, visits_left)) last = found;
    }
  }
  return last;
}

bool ComesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words,
               int assignments_left, int& visits_left) {
  return Contains(&expr, [&](const Expr& part) {
    if (--visits_left < 0) return false;
    if (part.kind == PythonExprKind::kBinary) {
      return part.text == kMatrixProduct && llvm::is_contained(words, kMatrixProduct);
    }
    if (part.kind == PythonExprKind::kCall && part.left != nullptr) {
      return llvm::is_contained(words, part.left->text);
    }
    if (part.kind != PythonExprKind::kName || assignments_left == 0) return false;
    const Expr* value = LastAssigned(function.body, part.text, part.span.begin, visits_left);
    return value != nullptr && visits_left > 0 &&
           ComesFrom(function, *value, words, assignments_left - 1, visits_left);
  });
}

/// Whether both are the same name, or the same attribute of the same thing.
bool IsSameChain(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.text != b.text) return false;
  if (a.kind == PythonExprKind::kName) return true;
  return a.kind == PythonExprKind::kAttribute && a.left != nullptr && b.left != nullptr &&
         IsSameChain(*a.left, *b.left);
}

/// What `expr` is made of if it is a name that the function assigns, and so on; else itself.
const Expr& Assigned(const Stmt& function, const Expr& expr) {
  const Expr* value = &expr;
  int visits_left = kMaxVisits;
  for (int i = 0; i < kMaxAssignments && value->kind == PythonExprKind::kName; ++i) {
    const Expr* before = LastAssigned(function.body, value->text, value->span.begin, visits_left);
    if (before == nullptr) break;
    value = before;
  }
  return *value;
}

/// Whether an index takes all of a dim: `:`, `0:`.
bool TakesAll(const Expr& slice) {
  const bool is_from_begin =
      slice.left == nullptr ||
      (slice.left->kind == PythonExprKind::kInteger && slice.left->text == "0");
  return is_from_begin && slice.right == nullptr && slice.third == nullptr;
}

/// Whether an index is a number, not a tensor or a list of places.
bool IsNumberIndex(const Expr& index) {
  return index.kind == PythonExprKind::kInteger || index.kind == PythonExprKind::kName ||
         index.kind == PythonExprKind::kUnary || index.kind == PythonExprKind::kBinary;
}

/// x[:, :8], x[..., 0], x[::2]: between what is taken lies what is not. A part of the first dim
/// lies in one piece, and a part of a dim behind another part may: of x[i:j, :8] nobody knows how
/// long the first part is.
bool LeavesGaps(llvm::ArrayRef<const Expr*> indices) {
  bool is_behind_whole_dim = false;
  for (const Expr* index : indices) {
    if (index->kind == PythonExprKind::kEllipsis) {
      is_behind_whole_dim = true;
    } else if (index->kind == PythonExprKind::kSlice) {
      if (TakesAll(*index)) {
        is_behind_whole_dim = true;
        continue;
      }
      const Expr* step = index->third;
      const bool skips =
          step != nullptr && step->kind == PythonExprKind::kInteger && step->text != "1";
      if (skips || is_behind_whole_dim) return true;
    } else if (IsNumberIndex(*index)) {
      if (is_behind_whole_dim) return true;
    } else if (index->kind != PythonExprKind::kNone) {
      // What a tensor or a list picks is a copy.
      return false;
    }
  }
  return false;
}

constexpr std::string_view kTurningMethods[] = {"t", "transpose", "permute", "swapaxes"};
constexpr std::string_view kTurningAttributes[] = {"T", "mT", "H", "mH"};

/// x.t(), x.mT: of something that is not turned itself, for twice is not at all.
bool IsTurned(const Stmt& function, const Expr& expr) {
  const bool is_call = expr.kind == PythonExprKind::kCall;
  const Expr* attribute = is_call ? expr.left : &expr;
  if (attribute == nullptr || attribute->kind != PythonExprKind::kAttribute) return false;
  const bool turns = is_call ? llvm::is_contained(kTurningMethods, attribute->text)
                             : llvm::is_contained(kTurningAttributes, attribute->text);
  return turns && !IsTurned(function, Assigned(function, *attribute->left));
}

}  // namespace

std::string_view CodeFormName(CodeForm form) {
  switch (form) {
    case CodeForm::kTrue:
      return "true";
    case CodeForm::kStridedView:
      return "strided_view";
  }
  return {};
}

bool IsWrittenAs(const Stmt& function, const Expr& expr, CodeForm form) {
  const Expr& value = Assigned(function, expr);
  if (form == CodeForm::kTrue) return value.kind == PythonExprKind::kTrue;
  return value.kind == PythonExprKind::kSubscript ? LeavesGaps(value.items)
                                                  : IsTurned(function, value);
}

bool ComesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words) {
  int visits_left = kMaxVisits;
  return ComesFrom(function, expr, words, kMaxAssignments, visits_left);
}

bool IsMadeOfItself(const Stmt& store, const Expr& target) {
  if (store.kind == StmtKind::kAugmented) return true;
  return Contains(store.value, [&](const Expr& part) { return IsSameChain(part, target); });
}

}  // namespace shapewise
