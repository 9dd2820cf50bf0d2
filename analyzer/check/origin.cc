#include "check/origin.h"

#include <algorithm>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "source/word_list.h"
#include "support/enum_name.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

// How many assignments may lie between a value and its origin. Longer chains are rarely one idea.
constexpr int kMaxAssignments = 4;
// Number of statements and expressions that one query visits. If it needs more, the answer is no:
// each name may be made of many others, and those of many more.
constexpr int kMaxVisits = 20000;
constexpr std::string_view kMatrixProduct = "@";

/// What `target = value` assigns to `name`, also as one of several; null: nothing.
const Expr* AssignedTo(std::string_view name, const Expr& target, const Expr& value) {
  if (target.kind == PythonExprKind::kName) return target.text == name ? &value : nullptr;
  const bool is_pairwise = target.kind == PythonExprKind::kTuple &&
                           value.kind == PythonExprKind::kTuple &&
                           target.items.size() == value.items.size();
  if (!is_pairwise) return nullptr;
  for (size_t i = 0; i < target.items.size(); ++i) {
    const Expr& one = *target.items[i];
    if (one.kind == PythonExprKind::kName && one.text == name) return value.items[i];
  }
  return nullptr;
}

/// The value last assigned to `name` before `place`, in `body` or a nested block; null: none.
const Expr* LastAssigned(llvm::ArrayRef<const Stmt*> body, std::string_view name, uint32_t place,
                         int& visits_left) {
  const Expr* last = nullptr;
  for (const Stmt* stmt : body) {
    if (stmt->span.begin >= place) break;
    if (--visits_left < 0) return nullptr;
    const bool gives = stmt->kind == StmtKind::kAssign || stmt->kind == StmtKind::kAugmented ||
                       stmt->kind == StmtKind::kAnnotated;
    const bool is_before = stmt->value != nullptr && stmt->value->span.end <= place;
    if (gives && is_before) {
      for (const Expr* target : stmt->targets) {
        if (const Expr* value = AssignedTo(name, *target, *stmt->value)) last = value;
      }
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

bool DerivesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words,
                 int assignments_left, int& visits_left) {
  return AnyExpr(expr, [&](const Expr& part) {
    if (--visits_left < 0) return false;
    if (part.kind == PythonExprKind::kBinary) {
      return part.text == kMatrixProduct && llvm::is_contained(words, kMatrixProduct);
    }
    if (part.kind == PythonExprKind::kCall) {
      return llvm::is_contained(words, part.left->text);
    }
    if (part.kind != PythonExprKind::kName || assignments_left == 0) return false;
    const Expr* value = LastAssigned(function.body, part.text, part.span.begin, visits_left);
    return value != nullptr && visits_left > 0 &&
           DerivesFrom(function, *value, words, assignments_left - 1, visits_left);
  });
}

/// Whether both are the same name, or the same attribute or item of the same object.
bool IsSameChain(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.text != b.text) return false;
  switch (a.kind) {
    case PythonExprKind::kName:
    case PythonExprKind::kInteger:
    case PythonExprKind::kString:
      return true;
    case PythonExprKind::kAttribute:
    case PythonExprKind::kSubscript:
      return IsSameChain(*a.left, *b.left) &&
             std::equal(
                 a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                 [](const Expr* one, const Expr* other) { return IsSameChain(*one, *other); });
    default:
      return false;
  }
}

/// Whether an index takes a part of a dim: `[-8:]`.
bool TakesPart(const Expr& expr) {
  return expr.kind == PythonExprKind::kSubscript && llvm::any_of(expr.items, [](const Expr* item) {
           return item->kind == PythonExprKind::kSlice &&
                  (item->left != nullptr || item->right != nullptr);
         });
}

/// Whether a call joins tensors that `target` is one of, and `expr`, with the values last assigned
/// to its names, is the result of the call or a method of that. `is_joined`: within such a call.
bool Appends(const Stmt& function, const Expr& expr, const Expr& target, bool is_joined,
             int assignments_left, int& visits_left) {
  if (--visits_left < 0 || TakesPart(expr)) return false;
  if (is_joined && IsSameChain(expr, target)) return true;
  const auto appends = [&](const Expr& one, bool is_in_join) {
    return Appends(function, one, target, is_in_join, assignments_left, visits_left);
  };
  switch (expr.kind) {
    case PythonExprKind::kName: {
      if (assignments_left == 0) return false;
      const Expr* value = LastAssigned(function.body, expr.text, expr.span.begin, visits_left);
      return value != nullptr &&
             Appends(function, *value, target, is_joined, assignments_left - 1, visits_left);
    }
    case PythonExprKind::kCall: {
      const bool joins =
          HasWord<"cat concat concatenate hstack vstack stack append pad">(expr.left->text);
      if (!joins && appends(*expr.left, is_joined)) return true;
      if (joins) {
        return llvm::any_of(expr.arguments, [&](const CallArgument& argument) {
          return appends(*argument.value, /*is_in_join=*/true);
        });
      }
      // Rows that torch.index_select and the like take, or a tensor as a parameter.
      const bool is_of_torch = expr.left->left != nullptr && expr.left->left->text == "torch";
      const bool keeps = expr.left->text == "Parameter" || (is_joined && is_of_torch);
      return keeps && !expr.arguments.empty() && appends(*expr.arguments.front().value, is_joined);
    }
    case PythonExprKind::kAttribute:
    case PythonExprKind::kSubscript:
      return appends(*expr.left, is_joined);
    case PythonExprKind::kConditional:
      return appends(*expr.left, is_joined) || appends(*expr.right, is_joined);
    case PythonExprKind::kTuple:
    case PythonExprKind::kList:
      return llvm::any_of(expr.items, [&](const Expr* item) { return appends(*item, is_joined); });
    default:
      return false;
  }
}

/// Whether `expr` is computed from `part` with operators, also by names that are assigned between.
bool DependsOn(const Stmt& function, const Expr& expr, const Expr& part, int assignments_left,
               int& visits_left) {
  if (--visits_left < 0) return false;
  if (&expr == &part) return true;
  if (expr.kind == PythonExprKind::kName) {
    if (assignments_left == 0 || expr.span.begin < part.span.end) return false;
    const Expr* value = LastAssigned(function.body, expr.text, expr.span.begin, visits_left);
    return value != nullptr && DependsOn(function, *value, part, assignments_left - 1, visits_left);
  }
  const bool is_call = expr.kind == PythonExprKind::kCall;
  if (is_call && expr.left->kind != PythonExprKind::kName) return false;
  bool depends = false;
  ForEachChild(expr, [&](const Expr& child) {
    depends = depends || DependsOn(function, child, part, assignments_left, visits_left);
  });
  return depends;
}

/// Whether the value of `stmt` is a test: of an if or while that does more than raise, or returned.
bool IsTest(const Stmt& stmt) {
  if (stmt.value == nullptr) return false;
  switch (stmt.kind) {
    case StmtKind::kIf:
      return !stmt.orelse.empty() || stmt.body.empty() ||
             stmt.body.back()->kind != StmtKind::kRaise;
    case StmtKind::kWhile:
      return true;
    case StmtKind::kReturn:
      return stmt.value->kind == PythonExprKind::kCompare ||
             stmt.value->kind == PythonExprKind::kNot || stmt.value->kind == PythonExprKind::kAnd ||
             stmt.value->kind == PythonExprKind::kOr;
    default:
      return false;
  }
}

/// The origin of `expr` if it is a name that the function assigns, followed through assignments;
/// else itself.
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

/// Whether an index is a number, not a tensor or a list of indices.
bool IsNumberIndex(const Expr& index) {
  return index.kind == PythonExprKind::kInteger || index.kind == PythonExprKind::kName ||
         index.kind == PythonExprKind::kUnary || index.kind == PythonExprKind::kBinary;
}

/// x[:, :8], x[..., 0], x[::2]: elements in between are skipped. A slice of the first dim is
/// contiguous, and a slice of a later dim may be: in x[i:j, :8] the length of the first slice is
/// unknown.
bool LeavesGaps(llvm::ArrayRef<const Expr*> indices) {
  bool is_after_whole_dim = false;
  for (const Expr* index : indices) {
    if (index->kind == PythonExprKind::kEllipsis) {
      is_after_whole_dim = true;
    } else if (index->kind == PythonExprKind::kSlice) {
      if (TakesAll(*index)) {
        is_after_whole_dim = true;
        continue;
      }
      const Expr* step = index->third;
      const bool skips =
          step != nullptr && step->kind == PythonExprKind::kInteger && step->text != "1";
      if (skips || is_after_whole_dim) return true;
    } else if (IsNumberIndex(*index)) {
      if (is_after_whole_dim) return true;
    } else if (index->kind != PythonExprKind::kNone) {
      // Indexing with a tensor or a list makes a copy.
      return false;
    }
  }
  return false;
}

/// x.t(), x.mT: of a value that is not transposed itself, because two transpositions cancel out.
bool IsTurned(const Stmt& function, const Expr& expr) {
  const bool is_call = expr.kind == PythonExprKind::kCall;
  const Expr* attribute = is_call ? expr.left : &expr;
  if (attribute->kind != PythonExprKind::kAttribute) return false;
  const bool turns = is_call ? HasWord<"t transpose permute swapaxes">(attribute->text)
                             : HasWord<"T mT H mH">(attribute->text);
  return turns && !IsTurned(function, Assigned(function, *attribute->left));
}

bool IsWrittenOut(const Expr& expr) {
  return expr.kind == PythonExprKind::kInteger || expr.kind == PythonExprKind::kFloat ||
         expr.kind == PythonExprKind::kNone || expr.kind == PythonExprKind::kString;
}

/// Whether `name` is a target in `target`: itself, or in a tuple or list of targets.
bool IsTarget(const Expr& target, std::string_view name) {
  switch (target.kind) {
    case PythonExprKind::kName:
      return target.text == name;
    case PythonExprKind::kStarred:
      return IsTarget(*target.left, name);
    case PythonExprKind::kTuple:
    case PythonExprKind::kList:
      return llvm::any_of(target.items, [&](const Expr* item) { return IsTarget(*item, name); });
    default:
      return false;
  }
}

/// The statements of `body` around `place`, the outermost first.
std::vector<const Stmt*> StatementsAround(llvm::ArrayRef<const Stmt*> body, ByteSpan place) {
  std::vector<const Stmt*> path;
  AnyStmt(body, [&](const Stmt& stmt) {
    const bool is_around = stmt.span.begin <= place.begin && place.end <= stmt.span.end;
    if (is_around) path.push_back(&stmt);
    return false;
  });
  return path;
}

/// torch._dynamo.reset() and the like: the program wants the work to be done again.
bool IsReset(const Expr& expr) {
  return expr.kind == PythonExprKind::kCall && expr.left->kind == PythonExprKind::kAttribute &&
         expr.left->text == "reset";
}

/// Whether the statement only uses the result of `call`: calls it, or gives it a name.
bool DropsResult(const Stmt& stmt, const Expr& call) {
  if (stmt.kind == StmtKind::kAssign && stmt.value == &call) {
    return llvm::all_of(stmt.targets,
                        [](const Expr* target) { return target->kind == PythonExprKind::kName; });
  }
  return AnyExpr(stmt, [&](const Expr& expr) {
    return expr.kind == PythonExprKind::kCall && expr.left == &call;
  });
}

}  // namespace

std::string_view CodeFormName(CodeForm form) {
  return EnumName<CodeForm::kSetLater>(form, {"true", "strided_view", "not_false", "set_later"});
}

bool IsWrittenAs(const Stmt& function, const Expr& expr, CodeForm form) {
  const Expr& value = Assigned(function, expr);
  if (form == CodeForm::kTrue) return value.kind == PythonExprKind::kTrue;
  if (form == CodeForm::kNotFalse) return value.kind != PythonExprKind::kFalse;
  return value.kind == PythonExprKind::kSubscript ? LeavesGaps(value.items)
                                                  : IsTurned(function, value);
}

bool DerivesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words) {
  int visits_left = kMaxVisits;
  return DerivesFrom(function, expr, words, kMaxAssignments, visits_left);
}

bool IsMadeOfItself(const Stmt& store, const Expr& target) {
  if (store.kind == StmtKind::kAugmented) return true;
  if (store.value == nullptr) return false;
  // `self.mem = torch.cat([self.mem, x])[-8:]` keeps a part of the old one, of a fixed length.
  const auto is_target = [&](const Expr& part) { return IsSameChain(part, target); };
  const auto in_part = [&](const Expr& expr) {
    return TakesPart(expr) && AnyExpr(expr, is_target);
  };
  return !AnyExpr(*store.value, in_part) && AnyExpr(*store.value, is_target);
}

bool IsAppendedToItself(const Stmt& function, const Stmt& store, const Expr& target) {
  if (store.value == nullptr) return false;
  int visits_left = kMaxVisits;
  return Appends(function, *store.value, target, /*is_joined=*/false, kMaxAssignments, visits_left);
}

bool DecidesBranch(const Stmt& function, const Expr& part) {
  int visits_left = kMaxVisits;
  const auto depends = [&](const Expr& expr) {
    return DependsOn(function, expr, part, kMaxAssignments, visits_left);
  };
  return AnyStmt(function.body, [&](const Stmt& stmt) {
    if (--visits_left < 0) return false;
    bool decides = IsTest(stmt) && depends(*stmt.value);
    ForEachExpr(stmt, [&](const Expr& expr, bool /*is_target*/) {
      decides = decides || AnyExpr(expr, [&](const Expr& one) {
                  return one.kind == PythonExprKind::kConditional && depends(*one.third);
                });
    });
    return decides;
  });
}

bool Assigns(const Stmt& function, std::string_view name) {
  const auto is_name = [&](const auto& one) { return one.name == name; };
  return AnyStmt(&function, [&](const Stmt& stmt) {
    bool assigns = llvm::any_of(stmt.parameters, is_name) || llvm::any_of(stmt.handlers, is_name);
    ForEachExpr(stmt, [&](const Expr& expr, bool is_target) {
      assigns = assigns || (is_target && IsTarget(expr, name));
    });
    return assigns;
  });
}

bool IsTested(const Stmt& function, const Expr& target, bool is_own) {
  int visits_left = kMaxVisits;
  const uint32_t end = is_own ? target.span.begin : function.span.end;
  return AnyStmt(function.body, [&](const Stmt& stmt) {
    const bool asks = stmt.kind == StmtKind::kIf || stmt.kind == StmtKind::kWhile;
    return --visits_left >= 0 && asks && stmt.span.begin < end &&
           AnyExpr(
               *stmt.value,
               [&](const Expr& part) { return --visits_left >= 0 && IsSameChain(part, target); });
  });
}

bool CallsOwnMethod(const Stmt& function, std::string_view name) {
  return AnyExpr(function, [&](const Expr& part) {
    return part.kind == PythonExprKind::kCall && part.left->text == name && IsOfSelf(part.left);
  });
}

bool StoresAttributeOf(const Stmt& function, const Expr& expr, bool is_own) {
  int visits_left = kMaxVisits;
  return AnyStmt(function.body, [&](const Stmt& stmt) {
    const bool may_store =
        --visits_left >= 0 && stmt.value != nullptr && !IsWrittenOut(*stmt.value);
    return may_store && llvm::any_of(stmt.targets, [&](const Expr* target) {
             return IsOfSelf(target) && (!is_own || IsMadeOfItself(stmt, *target)) &&
                    AnyExpr(expr, [&](const Expr& part) {
                      return --visits_left >= 0 && IsSameChain(part, *target);
                    });
           });
  });
}

bool IsRepeated(Project& project, const Fact& fact) {
  if (fact.expr == nullptr || !fact.in_loop) return false;
  const Stmt* function = project.Tree(fact.function);
  const std::vector<const Stmt*> path = StatementsAround(
      function != nullptr ? function->body : project.ModuleTree(fact.file), fact.expr->span);
  const Stmt* repeated = nullptr;
  for (const Stmt* stmt : llvm::reverse(path)) {
    if (stmt == path.back() || stmt->kind == StmtKind::kWith) continue;
    if (stmt->kind != StmtKind::kFor && stmt->kind != StmtKind::kWhile) return false;
    repeated = stmt;
    break;
  }
  if (repeated == nullptr) {
    // A loop around a call of the function; a decorator may keep its result.
    if (function == nullptr || !function->decorators.empty()) return false;
    repeated = function;
  }
  const bool changes = AnyExpr(*fact.expr, [&](const Expr& part) {
    return part.kind == PythonExprKind::kName && part.text != "self" &&
           Assigns(*repeated, part.text);
  });
  return !changes && DropsResult(*path.back(), *fact.expr) && !AnyExpr(*repeated, IsReset);
}

}  // namespace shapewise
